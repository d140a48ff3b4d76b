// Prepares the run of one recipe in a Playwright test: its inputs, secrets, pages and session.
import type { TestInfo } from '@playwright/test';
import { parseHudDisplay } from '../../browser/hud/hudDisplay.js';
import type { LoadedRecipe } from '../../check/loadRecipe.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { openJournal } from '../../evidence/journal.js';
import { newRunId } from '../../evidence/runIdentity.js';
import { ensuresState, secondCall } from '../../formats/classic/catalogExample.js';
import { createReadOnlyRegistry } from '../../run/createReadOnlyRegistry.js';
import { readSecrets } from '../../run/inputs/readSecrets.js';
import { resolveInputs } from '../../run/inputs/resolveInputs.js';
import { maskJournal } from '../../run/maskErrorsAndJournal.js';
import { jobSettingsOf } from '../../run/project/projectSettings.js';
import { maxRunMs } from '../../run/recipeNeeds.js';
import { Session } from '../../run/session.js';
import { createTreeChangeLister, readTreeAtStart } from '../../run/treeAtStart.js';
import { systemClock } from '../../system/clock.js';
import { createAskPerson } from '../shared/createAskPerson.js';
import { createPortInput } from './attachedPort.js';
import type { RecipeValues, RecordingOverrides } from './hostProject.js';
import { maskWorkerMessages } from './internals/workerMessages.js';
import { openPages } from './openPages.js';
import { createPlaywrightHost } from './playwrightHost.js';
import type { OpenSession, ProjectContext } from './projectContext.js';
import { createRefusedError } from './recipeErrors.js';
import { createJournalWriter } from './workerPackages.js';

export type SessionRequest = {
  context: ProjectContext;
  id: string;
  loaded: LoadedRecipe;
  /** The flow that the recipe is an example of. */
  flow?: string | undefined;
  fixtures: Readonly<Record<string, unknown>>;
  /** Values of the Playwright project, which take precedence over those of the config. */
  values?: RecipeValues | undefined;
  /** Inputs of the calling test, which take precedence over all others. */
  inputs?: Readonly<Record<string, unknown>> | undefined;
  /** Distinguishes the runs of one test. */
  key?: string;
  onJournalLine?(line: string): void;
};

/** @throws when an input is invalid, or a secret is missing */
export function openSession(request: SessionRequest, testInfo: TestInfo): OpenSession {
  const { context, id, loaded, flow, values = {}, key = '', onJournalLine } = request;
  const keepLine = createJournalWriter(testInfo, key);
  const { project, capabilities } = context;
  const { projectRoot } = context.loadOptions(loaded.document.file);
  const { inputs, secrets, answers } = resolveValues(request, projectRoot);
  const settings = jobSettingsOf(project.config);
  const { registry, operators, stateRefs } = capabilities;
  // A node ends at its own timeout, with an error that names the node. The timeout of the test is extended by the timeouts of its nodes.
  if (testInfo.timeout > 0) testInfo.setTimeout(testInfo.timeout + maxRunMs(loaded, registry, settings.nodeTimeoutMs));
  const pages = openPages(
    { id, loaded, secrets, registry, fixtures: request.fixtures, recordingOverrides: readRecordingOverrides(values) },
    testInfo,
  );
  const tree = readTreeAtStart(projectRoot);
  const session = new Session({
    ...settings,
    id,
    loaded,
    projectRoot,
    baseURL: pages.baseURL ?? findTestBaseUrl(request, testInfo),
    tree,
    listTreeChanges: createTreeChangeLister(projectRoot, tree),
    inputs,
    secrets,
    operators,
    stateRefs,
    registry: flow !== undefined && ensuresState(flow) ? createReadOnlyRegistry(registry, secondCall) : registry,
    runId: newRunId(),
    attempt: testInfo.retry,
    clock: systemClock,
    ask: createAskPerson(answers, false),
    ...(pages.pageRecorder ? { nodeObserver: pages.pageRecorder } : {}),
    host: createPlaywrightHost(testInfo, { fixtures: pages.fixtures, key }),
    journal: maskJournal(
      openJournal(systemClock, (line) => {
        keepLine?.(line);
        onJournalLine?.(line);
      }),
      secrets.vault,
    ),
  });
  return { session, close: () => session.close().finally(() => pages.close()), stopListening: pages.stopListening };
}

/** The fixture also has the value that the test itself sets. A native test may not request the fixture. */
function findTestBaseUrl({ fixtures }: SessionRequest, testInfo: TestInfo): string | undefined {
  return typeof fixtures.baseURL === 'string' ? fixtures.baseURL : testInfo.project.use.baseURL;
}

function readRecordingOverrides({ hud, record, video }: RecipeValues): RecordingOverrides {
  return omitUndefined({ hud: hud && parseHudDisplay(hud, 'recipeOptions.hud'), record, video });
}

function resolveValues({ context, loaded, values = {}, inputs: api }: SessionRequest, projectRoot: string) {
  const { config } = context.project;
  const { inputs, findings } = resolveInputs(loaded.compiled, {
    env: process.env,
    config: { ...config.inputs, ...values.inputs },
    ...createPortInput(context.port),
    ...(api ? { api } : {}),
  });
  const secrets = readSecrets(loaded, { env: process.env, projectRoot });
  const [finding] = [...findings, ...secrets.findings];
  maskWorkerMessages(secrets.vault);
  if (finding) throw createRefusedError(finding);
  return { inputs, secrets, answers: { ...config.answers, ...values.answers } };
}
