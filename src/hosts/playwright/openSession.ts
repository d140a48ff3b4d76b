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
import { askBy } from '../shared/ask.js';
import { givenPort } from './attachedPort.js';
import { guardOutput } from './guardOutput.js';
import type { Looks, RecipeValues } from './hostProject.js';
import { refusedError } from './invalidError.js';
import { openPages } from './openPages.js';
import { playwrightHost } from './playwrightHost.js';
import type { RecipeHost } from './recipeHost.js';
import { keepLines } from './workerPackages.js';

export type SessionRequest = {
  host: RecipeHost;
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

/** `close` ends the session, and then those who look on; `leave` stops listening to its pages, which costs nothing once they are closed. */
export type OpenSession = { session: Session; close(): ReturnType<Session['close']>; leave(): void };

/** @throws when the recipe cannot be run with what it is given */
export function openSession(request: SessionRequest, testInfo: TestInfo): OpenSession {
  const { host, id, loaded, flow, values = {}, key = '', see } = request;
  const keep = keepLines(testInfo, key);
  const { project, equipment } = host;
  const { projectRoot } = host.loadOptions(loaded.document.file);
  const { inputs, secrets, answers } = givenTo(request, projectRoot);
  const settings = jobSettingsOf(project.config);
  const { registry, operators, stateRefs } = equipment;
  // A node is given up at its own deadline, by name; the test's timeout only catches what has none.
  if (testInfo.timeout > 0) testInfo.setTimeout(testInfo.timeout + maxRunMs(loaded, registry, settings.nodeTimeoutMs));
  const pages = openPages({ id, loaded, secrets, registry, fixtures: request.fixtures, looks: looksOf(values) }, testInfo);
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
    ...{ runId: newRunId(), attempt: testInfo.retry, clock: systemClock, ask: askBy(answers, false) },
    ...(pages.onlooker ? { nodeObserver: pages.onlooker } : {}),
    host: playwrightHost(testInfo, { fixtures: pages.fixtures, key }),
    journal: maskJournal(
      openJournal(systemClock, (line) => {
        keep?.(line);
        see?.(line);
      }),
      secrets.vault,
    ),
  });
  return { session, close: () => session.close().finally(() => pages.close()), leave: pages.leave };
}

function looksOf({ hud, record, video }: RecipeValues): Looks {
  return omitUndefined({ hud: hud && parseHudDisplay(hud, 'recipeOptions.hud'), record, video });
}

function givenTo({ host, loaded, values = {}, inputs: api }: SessionRequest, projectRoot: string) {
  const { config } = host.project;
  const usual = { ...config.inputs, ...values.inputs };
  const given = { env: process.env, config: usual, ...givenPort(host.port), ...(api ? { api } : {}) };
  const { inputs, findings } = resolveInputs(loaded.compiled, given);
  const secrets = readSecrets(loaded, { env: process.env, projectRoot });
  const [refused] = [...findings, ...secrets.findings];
  guardOutput(secrets.vault);
  if (refused) throw refusedError(refused);
  return { inputs, secrets, answers: { ...config.answers, ...values.answers } };
}
