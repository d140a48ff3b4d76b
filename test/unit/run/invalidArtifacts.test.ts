// An invalid artifact in the result of an action is the fault of the action: not of the disk, and not of the app under test.
import { expect, test } from 'vitest';
import { defineSetup } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { recipeOf } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const run = (...artifacts: unknown[]) => {
  const setup = defineSetup({ actions: [ownAction('shop.log', () => ({ output: {}, artifacts: artifacts as never }))] });
  return runExtended(recipeOf({ first: { action: 'shop.log', next: 'done' } }), { setup });
};
const good = { path: 'logs/a.log', type: 'log', body: Buffer.from('a line') };

test.for([
  [{ path: 'logs/b.log', type: 'log' }, /artifacts\[1\] \("logs\/b\.log"\) lacks "body", a Buffer or Uint8Array/],
  [{ ...good, body: 'a line' }, /lacks "body"/],
  [{ ...good, body: [1, 2] }, /lacks "body"/],
  [{ ...good, path: undefined }, /artifacts\[1\] lacks "path"/],
  [{ ...good, path: '' }, /lacks "path"/],
  [{ ...good, type: undefined }, /lacks "type"/],
  ['logs/b.log', /lacks "path", .*, and "type", .*, and "body"/],
  [null, /lacks "path"/],
] as const)(
  'the invalid artifact %j is a fault of the harness, and the error names what is missing',
  async ([artifact, error]) => {
    const { exitCode, summary, trace } = await run(good, artifact);
    expect({ exitCode, status: summary.status, cause: summary.cause_class }).toEqual({
      exitCode: 4,
      status: 'unknown',
      cause: 'harness',
    });
    expect(trace[0]?.error).toMatch(error);
  },
);

test('an artifact with a Uint8Array as its body is saved', async () => {
  const { exitCode, everything } = await run(good, { ...good, path: 'logs/b.log', body: new Uint8Array([104, 105]) });
  expect(exitCode).toBe(0);
  expect(everything()).toContain('logs/b.log\nhi');
});
