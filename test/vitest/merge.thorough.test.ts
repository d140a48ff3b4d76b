// Shards that are merged from blobs give the same packages as one run.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectWhole } from '../support/evidence.js';
import { allWithoutTimes } from '../support/normalizePackage.js';
import { body, exit, hears, recipe, say, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { vitestProject } from '../support/vitestProject.js';

const setup = setupFile({
  'lab.kill': "process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);",
  // Larger than the files that a blob contains inline.
  'lab.keep': "return { artifacts: [{ path: 'logs/large.txt', type: 'log', body: Buffer.alloc(1_500_000, 'large ') }] };",
});

const flow = {
  version: 1,
  description: 'Says a word and hears it.',
  workflow: {
    entry: 'say',
    nodes: {
      say: { action: 'command', intent: 'Say the word', argv: ['echo', '{{params.word}}'], next: 'done' },
      done: { action: 'end', status: 'pass' },
    },
  },
  paramsSchema: { type: 'object', required: ['word'], properties: { word: { type: 'string' } } },
  postcondition: { path: '$.stdout', operator: 'contains', param: 'word' },
  examples: [{ params: { word: 'one' } }, { params: { word: 'two' } }],
};

const files = {
  'recipes.setup.ts': setup,
  'recipes/failing.recipe.json': recipe({ speak: say('hello'), leave: exit(3) }, { teardown: [say('bye')] }),
  'recipes/keeping.recipe.json': recipe({ keep: { action: 'lab.keep' } }),
  'recipes/killed.recipe.json': recipe({ before: say('alive'), last: { action: 'lab.kill' } }),
  'recipes/together.recipe.json': recipe({
    all: { action: 'rw.group', order: 'in_turn', body: body({ one: say('1'), two: say('2') }) },
    ask: hears('all', '1', { stream: 'status', rw: { on_fail: 'continue' } }),
  }),
  'recipes/using.recipe.json': recipe(
    { call: { action: 'call', ref: 'shop.say', params: { word: 'kettle' } } },
    { uses: ['../flows/shop.flows.json'] },
  ),
  'recipes/invalid.recipe.json': { schema_version: 1, title: 'Invalid', validate: {} },
  'recipes/sound.recipe.json': sound(),
  'flows/shop.flows.json': {
    schema_version: 1,
    kind: 'recipe-flow-catalog',
    owner: 'shop',
    flows: { 'shop.say': flow, 'shop.idle': { ...flow, examples: [] } },
  },
};

test('two shards that are merged in another directory give the packages and the suite of one run', async () => {
  const options = { recipes: { recipes: ['recipes/*.recipe.json', 'flows/*.flows.json'] } };
  const project = vitestProject(files, options);
  const whole = await project.run(['--retry=1']);
  expect(whole).toMatchObject({ exitCode: 1, success: false, passed: 6, failed: 3, skipped: 1 });
  const direct = allWithoutTimes(whole.packages);
  expect(Object.keys(direct)).toEqual([
    '.attempts/recipes/failing/0',
    'flows/shop.flows/shop.say-1',
    'flows/shop.flows/shop.say-2',
    'recipes/failing',
    'recipes/keeping',
    'recipes/killed',
    'recipes/sound',
    'recipes/together',
    'recipes/using',
  ]);
  for (const shard of ['1', '2']) {
    const blob = `--outputFile=blobs/${shard}.json`;
    const part = await project.run([`--shard=${shard}/2`, '--retry=1', '--reporter=blob', blob]);
    expect(part.exitCode).toBe(1);
  }
  expect(project.list('blobs')).toEqual(['1.json', '2.json']);
  // Only the blobs and the attachments exist, as on another machine.
  const other = vitestProject({ 'vitest.config.ts': 'export default {};\n' });
  const attachments = project.list('.vitest-attachments').length > 0 ? '.vitest-attachments' : '.vitest/attachments';
  expect(project.list(attachments)).toHaveLength(1);
  for (const name of ['blobs', attachments]) cpSync(join(project.dir, name), join(other.dir, name), { recursive: true });
  rmSync(project.dir, { recursive: true });
  const merged = await other.run(['--merge-reports=blobs', '--reporter=recipewright/vitest/reporter']);
  expect(merged.exitCode).toBe(1);
  expect(allWithoutTimes(merged.packages)).toEqual(direct);
  for (const [id, found] of merged.packages) if (!id.includes('killed')) expectWhole(found);
  const byId = (one: { id: string }, two: { id: string }) => (one.id < two.id ? -1 : 1);
  // This directory is not in a git repository.
  expect(merged.suite?.notes).toEqual([expect.stringContaining('No package has a commit')]);
  const outcomeOf = (suite: typeof merged.suite) => ({
    totals: suite?.totals,
    resolutions: suite?.resolutions.map(({ id, kind }) => ({ id, kind })).sort(byId),
  });
  expect(outcomeOf(merged.suite)).toEqual(outcomeOf(whole.suite));
  expect(whole.suite?.totals).toMatchObject({ declared: 10, executed: 8, passed: 6, failed: 1, unknown: 2, skipped: 1 });
});
