// A run of one recipe in one Playwright test, ready to begin.
import type { TestInfo } from '@playwright/test';
import { parseHudDisplay } from '../../browser/hud/hudDisplay.js';
import type { LoadedRecipe } from '../../check/loadRecipe.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { openJournal } from '../../evidence/journal.js';
import { newRunId } from '../../evidence/runIdentity.js';
import { ensuresState, secondCall } from '../../formats/classic/catalogExample.js';
import { readSecrets } from '../../run/inputs/readSecrets.js';
import { resolveInputs } from '../../run/inputs/resolveInputs.js';
import { maskJournal } from '../../run/masking.js';
import { jobSettingsOf } from '../../run/project/projectSettings.js';
import { readOnlyRegistry } from '../../run/readOnlyRegistry.js';
import { maxRunMs } from '../../run/recipeNeeds.js';
import { Session } from '../../run/session.js';
import { readTreeAtStart, treeChangesSince } from '../../run/treeAtStart.js';
import { systemClock } from '../../system/clock.js';
import { createAsk } from '../shared/createAsk.js';
import { createPortInput } from './attachedPort.js';
import type { RecipeValues, RecordingOverrides } from './hostProject.js';
import { maskWorkerMessages } from './internals/workerMessages.js';
import { openPages } from './openPages.js';
import { createPlaywrightHost } from './playwrightHost.js';
import type { OpenSession, ProjectContext } from './projectContext.js';
import { createRefusedError } from './recipeErrors.js';
import { keepJournalLines } from './workerPackages.js';

export type SessionRequest = {
  host: ProjectContext;
  id: string;
  loaded: LoadedRecipe;
  /** The flow whose example it is. */
  flow?: string | undefined;
  fixtures: Readonly<Record<string, unknown>>;
  /** What the Playwright project gives, over what the config gives. */
  values?: RecipeValues | undefined;
  /** What a program gives. */
  inputs?: Readonly<Record<string, unknown>> | undefined;
  /** Tells the runs of one test apart. */
  key?: string;
  /** Sees every line of the journal. */
  see?(line: string): void;
};

/** @throws when the recipe cannot be run with what it is given */
export function openSession(request: SessionRequest, testInfo: TestInfo): OpenSession {
  const { host, id, loaded, flow, values = {}, key = '', see } = request;
  const keepLine = keepJournalLines(testInfo, key);
  const { project, equipment } = host;
  const { projectRoot } = host.loadOptions(loaded.document.file);
  const { inputs, secrets, answers } = resolveGivenValues(request, projectRoot);
  const settings = jobSettingsOf(project.config);
  const { registry, operators, stateRefs } = equipment;
  // A node is given up at its own deadline, by name; the test's timeout only catches what has none.
  if (testInfo.timeout > 0) testInfo.setTimeout(testInfo.timeout + maxRunMs(loaded, registry, settings.nodeTimeoutMs));
  const pages = openPages(
    { id, loaded, secrets, registry, fixtures: request.fixtures, recordingOverrides: readRecordingOverrides(values) },
    testInfo,
  );
  const tree = readTreeAtStart(projectRoot);
  const session = new Session({
    ...{
      id,
      loaded,
      projectRoot,
      tree,
      treeChanges: treeChangesSince(projectRoot, tree),
      inputs,
      secrets,
      operators,
      stateRefs,
      ...settings,
    },
    registry: flow !== undefined && ensuresState(flow) ? readOnlyRegistry(registry, secondCall) : registry,
    ...{ runId: newRunId(), attempt: testInfo.retry, clock: systemClock, ask: createAsk(answers, false) },
    ...(pages.onlooker ? { onlooker: pages.onlooker } : {}),
    host: createPlaywrightHost(testInfo, { fixtures: pages.fixtures, key }),
    journal: maskJournal(
      openJournal(systemClock, (line) => {
        keepLine?.(line);
        see?.(line);
      }),
      secrets.vault,
    ),
  });
  return { session, close: () => session.close().finally(() => pages.close()), stopListening: pages.stopListening };
}

function readRecordingOverrides({ hud, record, video }: RecipeValues): RecordingOverrides {
  return omitUndefined({ hud: hud && parseHudDisplay(hud, 'recipeOptions.hud'), record, video });
}

function resolveGivenValues({ host, loaded, values = {}, inputs: api }: SessionRequest, projectRoot: string) {
  const { config } = host.project;
  const configInputs = { ...config.inputs, ...values.inputs };
  const given = { env: process.env, config: configInputs, ...createPortInput(host.port), ...(api ? { api } : {}) };
  const { inputs, findings } = resolveInputs(loaded.compiled, given);
  const secrets = readSecrets(loaded, { env: process.env, projectRoot });
  const [refused] = [...findings, ...secrets.findings];
  maskWorkerMessages(secrets.vault);
  if (refused) throw createRefusedError(refused);
  return { inputs, secrets, answers: { ...config.answers, ...values.answers } };
}
