// A precondition that times out has the same exit code as a precondition that returns false (docs/design.md, "The failure table").
import { describe, expect, test } from 'vitest';
import { definePrecondition, defineSetup, type GateFailure } from '../../../src/registry/setup.js';
import { recipeOf } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const recipe = recipeOf(
  { first: { action: 'command', cmd: 'touch ran', next: 'done' } },
  { workflow: { pre_conditions: ['shop.open'] } },
);
const run = (check: () => Promise<boolean> | boolean, rest: { failureKind?: GateFailure; timeoutMs?: number } = {}) => {
  const gate = definePrecondition({ id: 'shop.open', description: 'The shop is open', timeoutMs: 100, ...rest, check });
  return runExtended(recipe, { setup: defineSetup({ preconditions: [gate] }) });
};
const never = () => new Promise<boolean>(() => undefined);
const late = () => {
  const until = performance.now() + 200;
  while (performance.now() < until);
  return true;
};

type Outcome = {
  exitCode?: number;
  status?: string;
  cause?: string | undefined;
  error?: string | undefined;
  ran?: string | undefined;
};

const kinds: readonly (readonly [GateFailure | undefined, number, string])[] = [
  [undefined, 3, 'environment'],
  ['environment', 3, 'environment'],
  ['setup', 3, 'environment'],
  ['fixture', 3, 'environment'],
  ['unknown', 3, 'environment'],
  ['product', 1, 'subject'],
  ['assertion', 1, 'subject'],
];

describe.for([
  ['never answers', never],
  ['answers too late', late],
] as const)('a precondition that %s', ([name, check]) => {
  // Each run waits for its timeout, so all runs wait together. The first test starts them.
  let runs: Promise<Map<GateFailure | undefined, Outcome>> | undefined;
  const runAll = async () => {
    const all = kinds.map(async ([failureKind]) => {
      const { exitCode, summary, trace, read } = await run(check, failureKind ? { failureKind } : {});
      const outcome = { exitCode, status: summary.status, cause: summary.cause_class, error: trace[0]?.error, ran: read('ran') };
      return [failureKind, outcome] as const;
    });
    return new Map<GateFailure | undefined, Outcome>(await Promise.all(all));
  };

  test.for(kinds)(
    `a precondition of the kind %s that ${name} exits with %i and the cause %s`,
    async ([failureKind, code, cause]) => {
      runs ??= runAll();
      const { error, ran, ...outcome } = (await runs).get(failureKind) ?? {};
      expect(outcome).toEqual({ exitCode: code, status: 'fail', cause });
      expect(error).toMatch(/^The check of precondition shop\.open timed out, .*: The shop is open\n.* 100 ms.*"timeoutMs"/);
      expect(ran).toBeUndefined();
    },
  );
});

test('a precondition that returns true in time holds, and a node that times out is the fault of the app under test', async () => {
  const slow = recipeOf({ first: { action: 'command', cmd: 'sleep 3600', timeout_ms: 200, next: 'done' } });
  expect((await run(async () => true, { timeoutMs: 60_000 })).exitCode).toBe(0);
  const { exitCode, summary } = await runExtended(slow);
  expect({ exitCode, cause: summary.cause_class }).toEqual({ exitCode: 1, cause: 'subject' });
});
