import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, test } from '../support/project.js';
import { recipe } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

const pages = await servePages();

// Types are gone when it runs, so that only a source map knows the lines of what follows them.
const counting = `
  type Counted = {
    asked: number;
  };
  export const counted: Counted = { asked: 0 };
  const theirs = Error.prepareStackTrace!;
  Error.prepareStackTrace = (error, frames) => {
    counted.asked += 1;
    return theirs(error, frames);
  };
  export const stackOf = () => new Error('here').stack;
`;
const setup = setupFile(
  { 'lab.asked': 'return { output: { ...counted } };', 'lab.stack': 'return { output: { stack: stackOf() } };' },
  "import { counted, stackOf } from './counting.js';",
);
const page = '<button data-testid="go" onclick="note.hidden = false">Go</button><p id="note" hidden>Gone';
const looked = recipe({
  before: { action: 'lab.asked' },
  open: { action: 'ui.navigate', url: pages.url(page) },
  press: { action: 'ui.press', test_id: 'go' },
  see: { action: 'ui.wait_for', text: 'Gone', expected: 'visible' },
  after: { action: 'lab.asked' },
  stack: { action: 'lab.stack' },
});

test('source maps are searched for the stacks of the project, and not for those of Playwright at work', async ({ project }) => {
  const run = await project({
    'counting.ts': counting,
    'recipes.setup.ts': setup,
    'recipes/page.recipe.json': looked,
  }).run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  const { trace } = packageOf(run, 'recipes/page');
  const outputOf = (id: string) => trace.find(({ nodeId }) => nodeId === id)?.output;
  expect(outputOf('after')).toEqual(outputOf('before'));
  const line = counting.split('\n').findIndex((text) => text.includes("new Error('here')")) + 1;
  expect(outputOf('stack')).toMatchObject({ stack: expect.stringMatching(new RegExp(`counting\\.ts:${line}:\\d+`)) });
});

test('in a native test that shares the worker Playwright has all of its stacks told as it likes', async ({ project }) => {
  const native = `
    import { expect, recipes, test } from 'recipewright/playwright';
    import { counted } from '../counting.js';
    import * as setup from '../recipes.setup.js';
    recipes('../recipes/*.recipe.json', { setup });
    let asked = 0;
    test('the first', () => { asked = counted.asked; });
    test('the second', () => { expect(counted.asked).toBeGreaterThan(asked); });
  `;
  const run = await project({
    'counting.ts': counting,
    'recipes.setup.ts': setup,
    'tests/both.spec.ts': native,
    'recipes/page.recipe.json': looked,
    'playwright.config.ts':
      "import { localChromium } from 'recipewright/playwright';\nexport default { testDir: 'tests', workers: 1, use: localChromium(), reporter: [['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']] };\n",
  }).run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 3 });
});
