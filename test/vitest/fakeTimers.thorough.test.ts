import { expect, test } from 'vitest';
import { packageOf } from '../support/packages.js';
import { hears, recipe, say } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { vitestProject } from '../support/vitestProject.js';

const fakes = `
  import { beforeEach, vi } from 'vitest';
  const fake = () => vi.useFakeTimers({
    now: new Date('2001-02-03'),
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'Date', 'performance', 'hrtime', 'queueMicrotask'],
  });
  fake();
  beforeEach(fake);
`;

const native = `
  import { expect, test, vi } from 'vitest';
  test('native tests keep their fake timers', () => expect([vi.isFakeTimers(), new Date().getFullYear()]).toEqual([true, 2001]));
`;

const setup = setupFile({
  'lab.wait': 'await new Promise((done) => setTimeout(done, 5)); return { output: { year: new Date().getFullYear() } };',
});

test('recipes run in real time although setup files install fake timers', async () => {
  const waiting = recipe({
    speak: say('hello'),
    listen: hears('speak', 'hello'),
    wait: { action: 'lab.wait', timeout_ms: 30_000, assert: { path: '$.year', operator: 'gt', value: 2001 } },
  });
  const project = vitestProject(
    {
      'fakes.ts': fakes,
      'native.test.ts': native,
      'recipes.setup.js': setup,
      'recipes/a.recipe.json': waiting,
      'recipes/b.recipe.json': waiting,
    },
    { test: { setupFiles: ['./fakes.ts'] } },
  );
  const began = Date.now();
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 3, failed: 0 });
  for (const id of ['recipes/a', 'recipes/b'])
    for (const { at } of packageOf(run, id).lines) expect(Date.parse(at)).toBeGreaterThanOrEqual(began);
});
