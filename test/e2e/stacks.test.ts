import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, test } from '../support/project.js';
import { recipe } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

const pages = await servePages();
test.afterAll(() => pages.close());

test('source maps are searched for the stacks of the project, and not for those of Playwright at work', async ({ project }) => {
  // Lines that are gone when it runs, so that only a source map knows the place.
  const counting = `
    type Counted = {
      asked: number;
    };
    const counted: Counted = { asked: 0 };
    const theirs = Error.prepareStackTrace!;
    Error.prepareStackTrace = (error, frames) => {
      counted.asked += 1;
      return theirs(error, frames);
    };`;
  const setup = setupFile(
    {
      'lab.asked': 'return { output: { ...counted } };',
      'lab.stack': "return { output: { stack: new Error('here').stack } };",
    },
    counting,
  );
  const run = await project({
    'recipes.setup.ts': setup,
    'recipes/page.recipe.json': recipe({
      before: { action: 'lab.asked' },
      open: {
        action: 'ui.navigate',
        url: pages.url('<button data-testid="go" onclick="note.hidden = false">Go</button><p id="note" hidden>Gone'),
      },
      press: { action: 'ui.press', test_id: 'go' },
      see: { action: 'ui.wait_for', text: 'Gone', expected: 'visible' },
      after: { action: 'lab.asked' },
      stack: { action: 'lab.stack' },
    }),
  }).run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  const { trace } = packageOf(run, 'recipes/page');
  const outputOf = (id: string) => trace.find(({ nodeId }) => nodeId === id)?.output;
  expect(outputOf('after')).toEqual(outputOf('before'));
  const line = setup.split('\n').findIndex((text) => text.includes("new Error('here')")) + 1;
  expect(outputOf('stack')).toMatchObject({ stack: expect.stringMatching(new RegExp(`recipes\\.setup\\.ts:${line}:\\d+`)) });
});
