import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectWhole } from '../support/evidence.js';
import { findStep, type HtmlStep, readHtmlReport } from '../support/htmlReport.js';
import type { Package } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { testMs } from '../support/patience.js';
import { expect, type Files, type Project, type ProjectOptions, type Run, test } from '../support/project.js';
import { hears, recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';

// Tests share the run of all specs that have the same config.
test.describe.configure({ mode: 'default' });

const pages = await servePages();

const greeting = recipe(
  { speak: say('hello', { env: { WHO: '{{inputs.who}}' } }), listen: hears('speak', 'hello', { proofTarget: 'AC1' }) },
  { title: 'Greeting', targets: ['AC1'], inputs: { who: 'nobody' }, teardown: [say('bye')] },
);
const seen = recipe({
  open: { action: 'ui.navigate', url: pages.url('<h1>Total 21</h1>') },
  see: { action: 'ui.wait_for', text: 'Total 21' },
});
const flow = {
  version: 1,
  description: 'Adds two numbers.',
  paramsSchema: { type: 'object', required: ['a'], properties: { a: { type: 'number' } } },
  entry: 'add',
  nodes: {
    add: { action: 'command', intent: 'Add one to the number', argv: ['node', 'add.mjs', '{{params.a}}'], next: 'done' },
    done: { action: 'end', status: 'pass' },
  },
};
const spec = (name: string, body: string) => ({
  [`tests/${name}.spec.ts`]: `import { expect, test } from 'recipewright/playwright';\n${body}\n`,
});

const buys = spec(
  'buys',
  `test('Buys a mug', async ({ page, recipe }) => {
    await recipe.run('recipes/greeting.recipe.json', { inputs: { who: 'Ada' } });
    await recipe.run('../recipes/seen.recipe.json', { fixtures: { page } });
    const { add } = await recipe.call('math.next', { a: 41 });
    expect(add).toMatchObject({ stdout: '42\\n' });
  });`,
);
const fails = spec(
  'fails',
  `test('fails', async ({ recipe }) => { await recipe.run('recipes/failing.recipe.json'); });
  test('proves nothing', async ({ recipe }) => { await recipe.run('recipes/nothing.recipe.json'); });
  test('goes on', async ({ recipe }) => { await recipe.run('recipes/greeting.recipe.json'); throw new Error('later'); });
  test('is too slow', async ({ recipe }) => {
    test.setTimeout(1);
    while (test.info().status !== 'timedOut') await new Promise((resolve) => setTimeout(resolve, 1));
    await recipe.run('recipes/greeting.recipe.json');
  });`,
);
const hangs = spec(
  'hangs',
  `import { existsSync } from 'node:fs';
  test('hangs', async ({ recipe }) => {
    const running = recipe.run('recipes/slow.recipe.json');
    test.setTimeout(0);
    await expect.poll(() => existsSync('hangs'), { timeout: 0, intervals: [20] }).toBe(true);
    test.setTimeout(1);
    await running;
  });`,
);
const both = spec(
  'both',
  `const why = (promise: Promise<unknown>) => promise.then(() => 'it ran', (error: Error) => error.message);
  const on = (page: object) => ({ fixtures: { page } });
  test('both', async ({ page, context, browser, recipe }) => {
    const second = await context.newPage();
    const both = [why(recipe.run('../recipes/counts.recipe.json', on(page))), why(recipe.run('../recipes/adds.recipe.json', on(second)))];
    expect(await both[1]).toMatch(/adds--both.* cannot run at the same time as .*counts--both.*Await the first run/);
    // The first recipe waits for text that only the other page shows.
    expect(await Promise.race([both[0], page.evaluate(() => 'it waits')])).toBe('it waits');
    await page.close();
    expect(await both[0]).not.toBe('it ran');
    // The recipes run one after the other, and then at the same time in their own contexts.
    await recipe.run('../recipes/adds.recipe.json', on(second));
    const others = await Promise.all([browser.newPage(), browser.newPage()]);
    await Promise.all(others.map((other) => recipe.run('../recipes/adds.recipe.json', on(other))));
  });`,
);
const tells = spec(
  'tells',
  `const says = (text: string) => ({ message: expect.stringContaining(text) });
  const why = (promise: Promise<unknown>) => promise.then(() => 'it ran', (error: Error) => error);
  test('tells', async ({ recipe }) => {
    expect(await why(recipe.run('gone.recipe.json'))).toMatchObject(says('There is no recipe "gone.recipe.json"'));
    expect(await why(recipe.run('recipes/seen.recipe.json'))).toMatchObject(says('needs fixtures that the call does not pass: { page }'));
    expect(await why(recipe.run('recipes/secret.recipe.json'))).toMatchObject(says('has secrets'));
    expect(await why(recipe.call('math.nxt'))).toMatchObject(says('Did you mean "math.next"?'));
    expect(await why(recipe.call('math.next', { a: 'x' }))).toMatchObject(says('must be number'));
  });`,
);
const finds = spec(
  'finds',
  `const why = (promise: Promise<unknown>) => promise.then(() => 'it ran', (error: Error) => error.message);
  test('finds', async ({ recipe }) => {
    await recipe.run('greeting.recipe.json');
    await recipe.run('cart/checkout.recipe.json');
    expect(await why(recipe.run('checkout.recipe.json'))).toMatch(
      /the paths of 2 recipes end with \\"checkout.recipe.json\\": recipes\\/cart\\/checkout\\.recipe\\.json, recipes\\/refund\\/checkout\\.recipe\\.json\\./,
    );
    const nowhere = await why(recipe.run('greting.recipe.json'));
    expect(nowhere).toMatch(/^There is no recipe "greting\\.recipe\\.json" in .*tests or in /);
    expect(nowhere).toContain('Did you mean "greeting.recipe.json"?');
    // The path says where the recipe should be, but it does not exist there.
    expect(await why(recipe.run('./greeting.recipe.json'))).toMatch(/^There is no recipe/);
  });`,
);

const counts = { action: 'ui.wait_for', test_id: 'count', text: '1', intent: 'See that it counts' };
const files = {
  'add.mjs': 'console.log(Number(process.argv[2]) + 1);\n',
  'flows/math.flows.json': { schema_version: 1, kind: 'recipe-flow-catalog', flows: { 'math.next': flow } },
  'recipes/greeting.recipe.json': greeting,
  'recipes/seen.recipe.json': seen,
  'recipes/failing.recipe.json': recipe({ speak: say('hello'), listen: hears('speak', 'goodbye') }),
  'recipes/nothing.recipe.json': recipe({ wait: { action: 'wait', duration_ms: 1 } }),
  'recipes/slow.recipe.json': recipe(
    { speak: say('hello'), hang: { action: 'command', cmd: 'touch hangs; sleep 600', timeout_ms: testMs } },
    { teardown: [say('bye')] },
  ),
  'recipes/counts.recipe.json': recipe({ counts: { ...counts, timeout_ms: testMs } }),
  'recipes/adds.recipe.json': recipe({
    open: {
      action: 'ui.navigate',
      url: pages.url('<button onclick="count.innerText = 1">Add</button><p id=count data-testid=count>0'),
    },
    add: { action: 'ui.press', role: 'button', name: 'Add', intent: 'Add one' },
    counts,
  }),
  'recipes/secret.recipe.json': recipe(
    { speak: say('hello', { env: { T: '{{t}}' } }) },
    { inputs: { t: { type: 'secret-ref', ref: 'env:T' } } },
  ),
  'recipes/cart/checkout.recipe.json': greeting,
  'recipes/refund/checkout.recipe.json': greeting,
  ...{ ...buys, ...fails, ...hangs, ...both, ...tells, ...finds },
};

type All = {
  run: Run;
  /** Packages by the id of the recipe, without the part that identifies the test. */
  nested: Map<string, Package>;
  /** In the HTML report. */
  steps: HtmlStep[];
  index: string;
};
let shared: Promise<All> | undefined;

/** Reads the files on disk early, because the first test removes the project. */
function runAll(project: (files: Files, options: ProjectOptions) => Project): Promise<All> {
  shared ??= (async () => {
    const reporter = [['list'], ['html'], ['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']];
    const inner = project(files, { config: { reporter } });
    const run = await inner.run(['.spec.ts'], { env: { T: 'open-sesame-4711' } });
    const nested = nestedIn(run);
    for (const [name, found] of nested) if (name.includes('--buys-a-mug')) expectWhole(found);
    const html = readHtmlReport(join(inner.dir, 'playwright-report/index.html'));
    const bought = html.find(({ fileName }) => fileName.endsWith('buys.spec.ts'));
    const index = readFileSync(join(inner.dir, 'recipe-results/index.md'), 'utf8');
    return { run, nested, steps: bought?.tests[0]?.results[0]?.steps ?? [], index };
  })();
  return shared;
}

/** The expectations of the test hold: it fails only because it caught the errors of recipes. */
function expectOnlyCaught(run: Run, title: string): void {
  expect(run).toMatchObject({ exitCode: 1, stderr: '' });
  const found = testsIn(run.report).filter((one) => one.title === title);
  expect(found).toMatchObject([{ ok: false }]);
  const errors = found.flatMap(({ results }) => results.flatMap((result) => result.errors));
  expect(errors).toHaveLength(1);
  const [message = ''] = errors[0]?.message.split('\n\n') ?? [];
  for (const line of message.split('\n')) expect(line).toMatch(/ did not pass, but the test continued: /);
  // The place of the call of the recipe.
  expect(errors[0]?.location?.file).toMatch(new RegExp(`${title}\\.spec\\.ts$`));
}

function nestedIn(run: Run): Map<string, Package> {
  const nested = [...run.packages].filter(([name]) => name.includes('--'));
  return new Map(nested.map(([name, found]) => [name.replace(/--[0-9a-f]{8}/, ''), found]));
}

test('a native test runs recipes and flows as its steps, each with a package', async ({ project }) => {
  const { run, nested, steps } = await runAll(project);
  expect(run).toMatchObject({ exitCode: 1, stderr: '', passed: 1, failed: 8, skipped: 0 });
  expect(testsIn(run.report).filter(({ ok }) => ok)).toMatchObject([{ title: 'Buys a mug' }]);
  const bought = [...nested].filter(([name]) => name.includes('--buys-a-mug'));
  expect(bought.map(([name]) => name).sort()).toEqual([
    'flows/math.flows/math.next--buys-a-mug-3',
    'recipes/greeting--buys-a-mug',
    'recipes/seen--buys-a-mug-2',
  ]);
  for (const [, { summary }] of bought) expect(summary.status).toBe('pass');
  const greeted = nested.get('recipes/greeting--buys-a-mug');
  expect(greeted?.summary.inputs).toEqual({ who: { value: 'Ada', origin: 'api' } });
  expect(greeted?.trace.map(({ nodeId }) => nodeId)).toEqual(['speak', 'listen', 'done', 'teardown:0']);
  const step = findStep(steps, 'Run recipes/greeting');
  expect(step.location?.file).toBe('recipes/greeting.recipe.json');
  expect(findStep(step.steps, 'Perform listen for the test').snippet).toContain('"listen"');
});

test('a recipe that does not pass fails the test that runs it, at the node', async ({ project }) => {
  const { run, nested, index } = await runAll(project);
  const failed = testsIn(run.report).filter(({ file }) => file === 'tests/fails.spec.ts');
  expect(failed.map(({ ok, results }) => [ok, results[0]?.status])).toEqual([
    [false, 'failed'],
    [false, 'failed'],
    [false, 'failed'],
    [false, 'timedOut'],
  ]);
  expect(run.stdout).toContain('speak $ expected contains "goodbye", received "hello\\n".');
  expect(run.stdout).toMatch(/at listen · assert_output \(.*failing\.recipe\.json:\d+:9\)/);
  const status = (name: string) => nested.get(name)?.summary.status;
  expect(status('recipes/failing--fails')).toBe('fail');
  // The command runs the test again, and does not search for a test with the name of the package.
  expect(index).toMatch(/- run again: `npx playwright test tests\/fails\.spec\.ts:\d+/);
  expect(status('recipes/nothing--proves-nothing')).toBe('unknown');
  // The test after the recipe does not change the verdict of the recipe.
  expect(status('recipes/greeting--goes-on')).toBe('pass');
});

test('a test timeout ends the recipe that the test runs, and the package says so', async ({ project }) => {
  const { run, nested } = await runAll(project);
  expect(testsIn(run.report).find(({ title }) => title === 'hangs')).toMatchObject({ ok: false });
  const found = nested.get('recipes/slow--hangs');
  expect(found?.summary).toMatchObject({ status: 'unknown' });
  expect(found?.trace.map(({ nodeId }) => nodeId)).toEqual(['speak', 'hang', 'teardown:0']);
});

test('a second recipe in the same browser context at the same time is refused, and neither recipe sees the page of the other', async ({
  project,
}) => {
  const { run } = await runAll(project);
  expectOnlyCaught(run, 'both');
});

test('recipe.run() and recipe.call() name a missing file, flow, fixture or secret', async ({ project }) => {
  const { run, nested } = await runAll(project);
  expectOnlyCaught(run, 'tells');
  expect([...nested.keys()].filter((name) => name.includes('--tells'))).toEqual([]);
});

test('a recipe is found by the end of its path in any folder of the project', async ({ project }) => {
  const { run, nested } = await runAll(project);
  expectOnlyCaught(run, 'finds');
  const found = [...nested.keys()].filter((name) => name.includes('--finds'));
  expect(found.sort()).toEqual(['recipes/cart/checkout--finds-2', 'recipes/greeting--finds']);
});

test('without recipes in the config, the fixture finds the project around the test', async ({ project }) => {
  const config = "export default { reporter: [['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']] };";
  const inner = project({
    'playwright.config.ts': config,
    'recipewright.config.mjs': "export default { inputs: { who: 'config' } };",
    'recipes/greeting.recipe.json': greeting,
    'recipes/sound.recipe.json': sound(),
    ...spec('greets', "test('greets', async ({ recipe }) => { await recipe.run('recipes/greeting.recipe.json'); });"),
  });
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  expect(nestedIn(run).get('recipes/greeting--greets')?.summary.inputs).toEqual({ who: { value: 'config', origin: 'config' } });
});
