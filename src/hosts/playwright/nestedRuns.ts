// The recipes that a native test runs as its steps: each with its own journal and package, ended even when the test is stopped.
import { type TestInfo, type TestStepInfo, test } from '@playwright/test';
import type { Loaded } from '../../check/loadRecipe.js';
import { isSecret } from '../../check/rules/inputs.js';
import type { Place } from '../../document/finding.js';
import type { Verdict } from '../../evidence/verdict.js';
import { fixturesNeeded } from '../../run/targets.js';
import { sha256 } from '../../system/files.js';
import type { RecipeValues } from './hostProject.js';
import { type OpenSession, openSession, type SessionRequest } from './openSession.js';
import { sendEnd } from './playwrightHost.js';
import { interrupt, verdictError } from './recipeRun.js';
import { sendDocuments } from './sendDocuments.js';
import { tellNoReporter } from './tellNoReporter.js';
import { type RunIdentity, wire } from './wire.js';

export type Nested = Pick<SessionRequest, 'host' | 'id' | 'fixtures' | 'inputs' | 'see'> & {
  loaded: Loaded;
  title: string;
  answers?: RecipeValues['answers'];
};

type Open = { open: OpenSession; identity: RunIdentity; place: Place };

export class NestedRuns {
  private readonly open = new Map<string, Open>();
  private count = 0;

  constructor(
    private readonly testInfo: TestInfo,
    private readonly values: RecipeValues,
  ) {}

  async run(nested: Nested): Promise<Verdict> {
    const { loaded, title } = nested;
    tellNoReporter(this.testInfo);
    refuseMissing(nested);
    refuseSecrets(nested);
    const key = `:${++this.count}`;
    const identity: RunIdentity = { id: this.idOf(nested.id), key };
    const values = { ...this.values, answers: { ...this.values.answers, ...nested.answers } };
    const open = openSession({ ...nested, id: identity.id, values, key }, this.testInfo);
    sendDocuments({ loaded, ownActions: nested.host.equipment.ownActions, key }, this.testInfo);
    const place = loaded.compiled.origin('/title');
    this.open.set(key, { open, identity, place });
    const params = { [wire.begin]: open.session.opening, [wire.run]: JSON.stringify(identity) };
    return test.step(
      title,
      async (step) => {
        const { failure } = await open.session.runGraph();
        const { line, verdict } = await over(open);
        this.open.delete(key);
        await sendEnd(step, line, `${wire.end}${key}`);
        if (verdict.status !== 'pass') throw failure ?? verdictError(verdict, place);
        return verdict;
      },
      { location: place, subtitle: identity.id, params },
    );
  }

  /** Ends what a timeout left running, in a step that says whose it is. */
  async close(): Promise<void> {
    for (const [key, { open, identity, place }] of this.open) {
      interrupt(open.session);
      const end = async (step: TestStepInfo): Promise<void> => sendEnd(step, (await over(open)).line, `${wire.end}${key}`);
      const params = { [wire.run]: JSON.stringify(identity) };
      await test.step(`End ${identity.id}`, end, { location: place, params });
    }
    this.open.clear();
  }

  // The same recipe may be run by many tests, and by one test more than once.
  private idOf(id: string): string {
    const { title, testId } = this.testInfo;
    const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    return `${id}--${words.join('-').slice(0, 40)}--${sha256(testId).slice(0, 8)}${this.count > 1 ? `-${this.count}` : ''}`;
  }
}

/** The page goes on without it. */
function over({ close, leave }: OpenSession): ReturnType<OpenSession['close']> {
  return close().finally(leave);
}

function refuseMissing({ loaded, host, fixtures, id }: Nested): void {
  const missing = fixturesNeeded(loaded, host.equipment).filter((name) => fixtures[name] === undefined);
  if (missing.length === 0) return;
  const given = `{ ${missing.join(', ')} }`;
  throw new Error(
    `${id} needs ${given}, which it was not given. Ask for it in the test, and hand it over as a fixture: ${given}.`,
  );
}

// Whatever else the test does is traced and reported as its author likes.
function refuseSecrets({ loaded, id }: Nested): void {
  if (![...loaded.compiled.recipe.inputs.values()].some(isSecret)) return;
  throw new Error(`${id} has secrets, which the traces and reports of another test could keep. Let it be a test of its own.`);
}
