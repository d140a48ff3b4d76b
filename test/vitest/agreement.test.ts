// F55: one authority. What the package, the suite, the report of Vitest and the exit code say is the same.
import { expect, test } from 'vitest';
import { exit, hears, recipe, say } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { vitestProject } from '../support/vitestProject.js';

const setup = `${setupFile({
  'lab.harness': "throw new TypeError('not a shop');",
  'lab.stray': "setTimeout(() => { throw new Error('nobody caught it'); }, 30); return { output: {} };",
}).replace(
  'actions: [',
  "preconditions: [{ id: 'lab.gate', description: 'The gate is open', check: () => false }],\n actions: [",
)}`;

const gated = (document: object): object => {
  const { validate } = document as { validate: { workflow: object } };
  return { ...document, validate: { workflow: { pre_conditions: ['lab.gate'], ...validate.workflow } } };
};

const faults: readonly (readonly [string, string, object])[] = [
  ['nothing', 'pass', recipe({ speak: say('hello') })],
  ['a product that fails', 'fail', recipe({ leave: exit(9) })],
  ['a claim that nothing proves', 'unknown', recipe({ speak: say('hello', { proofTarget: 'AC1' }) }, { targets: ['AC1'] })],
  ['an end that says unknown', 'unknown', recipe({ speak: say('hello'), over: { action: 'end', status: 'unknown' } })],
  ['a tool that is missing', 'unknown', recipe({ run: { action: 'command', argv: ['no-such-program-anywhere'] } })],
  ['a gate that is closed', 'fail', gated(recipe({ speak: say('hello') }))],
  ['a fault of the harness', 'unknown', recipe({ break: { action: 'lab.harness' } })],
  ['a teardown that fails', 'fail', recipe({ speak: say('hello') }, { teardown: [exit(1)] })],
  [
    'an error that nobody caught',
    'unknown',
    recipe({
      stray: { action: 'lab.stray' },
      wait: { action: 'wait', duration_ms: 200 },
      speak: say('x'),
      listen: hears('speak', 'x'),
    }),
  ],
];

test.for(faults)(
  'F55 after %s the package says %s, and so do the suite, the report and the exit code',
  async ([, status, document]) => {
    const run = await vitestProject({ 'recipes.setup.ts': setup, 'recipes/a.recipe.json': document }).run();
    const { totals, resolutions = [] } = run.suite ?? {};
    const words = { pass: 'passed', fail: 'failed', unknown: 'unknown' } as const;
    expect(run.packages.get('recipes/a')?.summary.status).toBe(status);
    expect(resolutions).toMatchObject([{ id: 'recipes/a', status }]);
    expect(totals).toMatchObject({ declared: 1, executed: 1, [words[status as keyof typeof words]]: 1 });
    expect([run.exitCode, run.success, run.passed, run.failed]).toEqual(status === 'pass' ? [0, true, 1, 0] : [1, false, 0, 1]);
  },
);
