import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, test } from '../support/project.js';
import { recipe } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

const pages = await servePages();

// The types are stripped before the code runs, so only a source map knows the lines of the code below them.
const counting = `
  type Counter = {
    formatted: number;
  };
  export const counter: Counter = { formatted: 0 };
  const formatStack = Error.prepareStackTrace!;
  Error.prepareStackTrace = (error, frames) => {
    counter.formatted += 1;
    return formatStack(error, frames);
  };
  export const stackOf = () => new Error('here').stack;
`;
const setup = setupFile(
  { 'lab.stack': 'return { output: { stack: stackOf(), formatted: counter.formatted } };' },
  "import { counter, stackOf } from './counting.js';",
);
const page = '<button data-testid="go" onclick="note.hidden = false">Go</button><p id="note" hidden>Gone';
const stacks = recipe({
  before: { action: 'lab.stack' },
  open: { action: 'ui.navigate', url: pages.url(page) },
  press: { action: 'ui.press', test_id: 'go' },
  see: { action: 'ui.wait_for', text: 'Gone', expected: 'visible' },
  after: { action: 'lab.stack' },
});

test('a stack names the source line of an action, and a stack formatter of the setup module stays in use after page calls', async ({
  project,
}) => {
  const run = await project({
    'counting.ts': counting,
    'recipes.setup.ts': setup,
    'recipes/page.recipe.json': stacks,
  }).run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  const { trace } = packageOf(run, 'recipes/page');
  const outputOf = (id: string) =>
    trace.find(({ nodeId }) => nodeId === id)?.output as { stack: string; formatted: number } | undefined;
  const line = counting.split('\n').findIndex((text) => text.includes("new Error('here')")) + 1;
  const inSource = new RegExp(`counting\\.ts:${line}:\\d+`);
  expect([outputOf('before')?.stack, outputOf('after')?.stack]).toEqual([
    expect.stringMatching(inSource),
    expect.stringMatching(inSource),
  ]);
  expect(outputOf('after')?.formatted).toBeGreaterThan(outputOf('before')?.formatted ?? Number.POSITIVE_INFINITY);
});
