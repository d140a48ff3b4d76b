// A project action with an invalid result is a fault of the harness. test/e2e/customActions.thorough.test.ts tests the same with Playwright.
import { expect, test } from 'vitest';
import { defineSetup } from '../../../src/registry/setup.js';
import { ownAction } from '../../support/ownSetup.js';
import { recipe, say } from '../../support/recipe.js';
import { runExtended } from '../../support/runExtended.js';

const circle: Record<string, unknown> = {};
circle.self = circle;

test.for<[string, Parameters<typeof ownAction>[1]]>([
  ['bigint', async () => ({ output: { count: 10n } })],
  ['circle', async () => ({ output: circle })],
  [
    'string',
    async () => {
      throw 'only a string';
    },
  ],
])('an action that returns or throws an invalid value (%s) makes the verdict unknown, and teardown runs', async ([, run]) => {
  const setup = defineSetup({ actions: [ownAction('lab.act', run)] });
  const document = recipe({ before: say('alive'), act: { action: 'lab.act' }, after: say('never') }, { teardown: [say('bye')] });
  const { summary, trace, ids } = await runExtended(document, { setup });
  expect(summary).toMatchObject({ status: 'unknown', cause_class: 'harness' });
  expect(summary).not.toHaveProperty('interruptedAt');
  expect(summary.reason).not.toContain(String.fromCharCode(27));
  expect(ids).toEqual(['before', 'act', 'teardown:0']);
  expect(trace.at(-1)).toMatchObject({ ok: true });
  const passed = trace.filter(({ ok }) => ok).length;
  expect(summary).toMatchObject({ total: trace.length, passed, failed: trace.length - passed });
});
