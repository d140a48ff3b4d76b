// Runtime Recipe Definition manifests as Playwright tests.
import { expectWhole } from '../support/evidence.js';
import { lineIn, manifestFiles } from '../support/manifestSuite.js';
import { packageOf } from '../support/packages.js';
import { expect, type Files, type Project, type ProjectOptions, type Run, test } from '../support/project.js';
import { type JsonStep, testsIn } from '../support/report.js';

// Tests share the run of all manifests.
test.describe.configure({ mode: 'default' });

const answers = `
  import { expect, test } from 'recipewright/playwright';
  for (const ask of ['pass', 'fail'] as const)
    test('the draft is ' + ask, async ({ recipe }) => {
      expect(await recipe.run('recipes/a-approved.runtime.json', { answers: { ask } })).toMatchObject({ status: 'pass' });
    });
`;

let shared: Promise<Run> | undefined;

/** Reads the files on disk early, because the first test removes the project. */
function runAll(project: (files: Files, options: ProjectOptions) => Project): Promise<Run> {
  shared ??= (async () => {
    const files = { ...manifestFiles, 'tests/answers.spec.ts': answers };
    const run = await project(files, { recipes: { recipes: 'recipes/*.runtime.json' } }).run();
    for (const found of run.packages.values()) expectWhole(found);
    return run;
  })();
  return shared;
}

test('runtime manifests are tests with their names, and one that cannot run or was changed fails alone and has no package', async ({
  project,
}) => {
  const run = await runAll(project);
  expect(run).toMatchObject({ exitCode: 1, passed: 4, failed: 4, skipped: 0 });
  const manifests = testsIn(run.report).filter(({ file }) => file.startsWith('recipes/'));
  expect(manifests.map(({ title, line }) => `${line} ${title}`)).toEqual([
    '4 The manifest approved',
    '4 The manifest unanswered',
    '4 The manifest unmapped',
    `${lineIn('recipes/d-stranger.runtime.json', '"id": "draft"') - 1} d-stranger.runtime.json is a valid recipe`,
    `${lineIn('recipes/e-tampered.runtime.json', '"integrity_hash"')} e-tampered.runtime.json is a valid recipe`,
    '4 The manifest printing',
  ]);
  const errors = manifests.map(({ results }) => results[0]?.errors[0]);
  expect(errors[1]?.message).toContain('Nobody answered: May the draft be printed?');
  expect(errors[2]?.message).toContain(
    'The router coreason.lib.router.identity returned "approved", which its mapping does not have',
  );
  expect(errors[3]?.message).toContain('the agent "Wirter" is not registered');
  expect(errors[4]?.message).toContain('integrity_hash does not match the topology');
  const ids = ['recipes/a-approved', 'recipes/b-unanswered', 'recipes/c-unmapped', 'recipes/f-printing'];
  expect([...run.packages.keys()].filter((id) => !id.includes('--')).sort()).toEqual(ids);
  expect(ids.map((id) => packageOf(run, id).summary.status)).toEqual(['pass', 'unknown', 'fail', 'pass']);
});

test('a topology is shown as nested steps, and the steps of a sub-manifest are inside the node that runs it', async ({
  project,
}) => {
  const run = await runAll(project);
  const approved = testsIn(run.report).find(({ file }) => file === 'recipes/a-approved.runtime.json');
  expect(approved).toMatchObject({ ok: true });
  const outline = (steps: readonly JsonStep[] = [], indent = ''): string[] =>
    steps.flatMap(({ title, steps }) => [`${indent}${title}`, ...outline(steps, `${indent}  `)]);
  expect(outline(approved?.results[0]?.steps)).toEqual([
    'Run the recipe',
    '  Open the state of "approved"',
    '  Run the topology of "approved"',
    '    Ask for draft',
    '    May the draft be printed?',
    '    Run the recipe printing as the step "print"',
    '      Open the state of "printing"',
    '      Run the topology of "printing"',
    '        Ask for page',
    '      Check what "printing" promises to give',
    '      End: pass',
    '    Ask for burn',
    '  Check what "approved" promises to give',
    '  End: pass',
  ]);
});

test('a native test approves and rejects the same manifest, and the evidence has both paths', async ({ project }) => {
  const run = await runAll(project);
  expect(testsIn(run.report).filter(({ file }) => file === 'tests/answers.spec.ts')).toMatchObject([{ ok: true }, { ok: true }]);
  const answered = [...run.packages].filter(([id]) => id.includes('--'));
  const skips = answered.map(([, { trace }]) =>
    trace.filter(({ output }) => (output as { skipped?: unknown } | undefined)?.skipped === true).map(({ nodeId }) => nodeId),
  );
  expect(skips.sort()).toEqual([['topology/burn'], ['topology/print']]);
});

test('the runtime example with every type of node and edge passes', async ({ copyOf }) => {
  const run = await copyOf('examples/desk').run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  expect([...run.packages.keys()].sort()).toEqual(['manifests/article', 'manifests/fact-check']);
  const { summary, trace } = packageOf(run, 'manifests/article');
  expect(summary.status).toBe('pass');
  const skipped = trace.filter(({ output }) => (output as { skipped?: unknown } | undefined)?.skipped === true);
  // The first round of the loop that improves the draft skips the nodes after it, and the trace has those entries.
  const last = new Map(trace.map(({ nodeId, ...entry }) => [nodeId, entry]));
  expect(last.get('topology/publish#2')?.ok).toBe(true);
  expect(skipped.map(({ nodeId }) => nodeId)).toContain('topology/shelve#2');
});
