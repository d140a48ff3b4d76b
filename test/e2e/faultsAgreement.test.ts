// One authority: after every fault the package, the suite, the report of Playwright and the exit code say the same (row F55 in this host).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Project, test } from '../support/project.js';
import { end, exit, recipe, say } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';

const setup = setupFile({
  'lab.harness': "throw new TypeError('not a shop');",
  'lab.die': 'process.exit(0);',
  'lab.stray': "setTimeout(() => { throw new Error('nobody caught it'); }, 30); return { output: {} };",
}).replace(
  'actions: [',
  "preconditions: [{ id: 'lab.gate', description: 'The gate is open', check: () => false }],\n actions: [",
);

const gated = (document: object): object => {
  const { validate } = document as { validate: { workflow: object } };
  return { ...document, validate: { workflow: { pre_conditions: ['lab.gate'], ...validate.workflow } } };
};

type Status = 'pass' | 'fail' | 'unknown';

const faults: Record<string, readonly [Status, object]> = {
  nothing: ['pass', recipe({ speak: say('hello') })],
  'a product that fails': ['fail', recipe({ leave: exit(9) })],
  'a claim that nothing proves': ['unknown', recipe({ speak: say('hello', { proofTarget: 'AC1' }) }, { targets: ['AC1'] })],
  'an end that says unknown': ['unknown', recipe({ speak: say('hello'), over: end('unknown') })],
  'a tool that is missing': ['unknown', recipe({ run: { action: 'command', argv: ['no-such-program-anywhere'] } })],
  'a gate that is closed': ['fail', gated(recipe({ speak: say('hello') }))],
  'a fault of the harness': ['unknown', recipe({ break: { action: 'lab.harness' } })],
  'a teardown that fails': ['fail', recipe({ speak: say('hello') }, { teardown: [exit(1)] })],
  'a worker that ends itself with 0': ['unknown', recipe({ die: { action: 'lab.die' } })],
  'an error that nobody caught': [
    'unknown',
    recipe({ stray: { action: 'lab.stray' }, wait: { action: 'wait', duration_ms: 500 }, speak: say('x') }),
  ],
};

type Suite = { totals: Record<string, number>; resolutions: { id: string; status?: string }[] };
const suiteOf = ({ dir }: Project): Suite => JSON.parse(readFileSync(join(dir, 'recipe-results/suite.json'), 'utf8')) as Suite;
const words = { pass: 'passed', fail: 'failed', unknown: 'unknown' } as const;

for (const [fault, [status, document]] of Object.entries(faults)) {
  test(`F55 after ${fault} the package says ${status}, and so do the suite, the report and the exit code`, async ({
    project,
  }) => {
    const inner = project({ 'recipes.setup.ts': setup, 'recipes/a.recipe.json': document });
    const run = await inner.run();
    expect(run.packages.get('recipes/a')?.summary.status).toBe(status);
    const { totals, resolutions } = suiteOf(inner);
    expect(resolutions).toMatchObject([{ id: 'recipes/a', status }]);
    expect(totals).toMatchObject({ declared: 1, executed: 1, [words[status]]: 1 });
    const isGreen = status === 'pass';
    expect(testsIn(run.report).map(({ ok }) => ok)).toEqual([isGreen]);
    expect([run.exitCode, run.passed, run.failed]).toEqual(isGreen ? [0, 1, 0] : [1, 0, 1]);
    expect(run.stdout).toMatch(new RegExp(`${status} +recipes/a`));
  });
}
