// After every fault, the package, the suite, the report of Playwright and the exit code agree (row F55 in this host).
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

type Fault = readonly [name: string, status: Status, document: object];

/** Runs each fault as a recipe of one project, and compares its package, the suite, the report and the exit code. */
async function expectAgreement(inner: Project, cases: readonly Fault[]): Promise<void> {
  inner.write(
    Object.fromEntries(cases.map(([name, , document]) => [`recipes/${name}.recipe.json`, { ...document, title: name }])),
  );
  const run = await inner.run();
  const { totals, resolutions } = suiteOf(inner);
  const count = (counted: Status): number => cases.filter(([, status]) => status === counted).length;
  for (const [name, status] of cases) {
    const id = `recipes/${name}`;
    expect.soft(run.packages.get(id)?.summary.status, name).toBe(status);
    expect.soft(resolutions.find((each) => each.id === id)?.status, name).toBe(status);
    expect.soft(testsIn(run.report).find(({ title }) => title === name)?.ok, name).toBe(status === 'pass');
    expect.soft(run.stdout, name).toMatch(new RegExp(`${status} +${id}`));
  }
  const [passed, failed, unknown] = [count('pass'), count('fail'), count('unknown')];
  expect(totals).toMatchObject({ declared: cases.length, executed: cases.length, passed, failed, unknown });
  expect([run.exitCode, run.passed, run.failed]).toEqual([failed + unknown > 0 ? 1 : 0, passed, failed + unknown]);
}

const all: Fault[] = Object.entries(faults).map(([name, [status, document]]) => [name, status, document]);
// Faults after a test body that passed: only the fault makes the run fail, so each fault runs alone.
const alone = ['nothing', 'a teardown that fails', 'a worker that ends itself with 0', 'an error that nobody caught'];

test('F55 after each of six faults, beside a recipe without a fault, package, suite, report and exit code agree', async ({
  project,
}) => {
  const cases = all.filter(([name]) => name === 'nothing' || !alone.includes(name));
  expect(cases).toHaveLength(7);
  await expectAgreement(project({ 'recipes.setup.ts': setup }), cases);
});

for (const name of alone) {
  test(`F55 alone in a run, ${name} gives package, suite, report and exit code the same verdict`, async ({ project }) => {
    await expectAgreement(
      project({ 'recipes.setup.ts': setup }),
      all.filter(([each]) => each === name),
    );
  });
}
