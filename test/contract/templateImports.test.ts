// The folders where a compiled template recipe finds its imports: its project, and the folders in the config.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TraceEntry } from '../../src/evidence/trace.js';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';

const config = `export default { templates: {
  userRoot: '../user/recipes', packagedRoot: '../packaged/recipes', searchPath: ['../more'], skillRoots: ['../skills'], agentDir: '../user',
} };\n`;
const say = (word: string) => ({ template: `printf ${word}` });

describe('an import', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'recipewright-'));
    write({ 'project/package.json': {}, 'project/recipewright.config.mjs': config });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function write(files: Record<string, unknown>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), typeof content === 'string' ? content : JSON.stringify(content));
    }
  }

  /** Returns the output of the imported command, or the finding that refuses the import. */
  async function runImport(from: string): Promise<string> {
    write({ 'project/recipes/a.template.json': { imports: { it: from }, template: { name: 'it' } } });
    const artifactsDir = join(root, `out-${Math.random()}`);
    const result = await runRecipe(join(root, 'project/recipes/a.template.json'), { artifactsDir });
    if (!result.ran) return `${result.findings[0]?.code}: ${result.findings[0]?.message}`;
    const trace = JSON.parse(readFileSync(join(artifactsDir, 'trace.json'), 'utf8')) as TraceEntry[];
    const { stdout } = Object(trace.find(({ action }) => action === 'rw.exec')?.output) as { stdout?: string };
    return stdout ?? 'nothing';
  }

  test('an import by name searches the user folder, then the folder of the recipe, then the search path, then packaged recipes', async () => {
    write({ 'packaged/recipes/it.json': say('packaged') });
    expect(await runImport('it')).toBe('packaged');
    write({ 'more/it.md': '---\ndescription: x\n---\n```template\nprintf more\n```\n' });
    expect(await runImport('it')).toBe('more');
    write({ 'project/recipes/it.json': say('beside') });
    expect(await runImport('it')).toBe('beside');
    write({ 'user/recipes/it.md': '---\ndescription: x\n---\n```template\nprintf user\n```\n' });
    expect(await runImport('it')).toBe('user');
  });

  test('an import of a broken recipe does not fall back to another recipe with this name', async () => {
    write({ 'packaged/recipes/it.json': say('packaged'), 'user/recipes/it.json': '{ broken' });
    expect(await runImport('it')).toContain('template.import_not_found');
  });

  test('an import can refer to {agent}, to a skill, and in a packaged recipe to its own folder as {repo}', async () => {
    write({ 'user/tools/it.json': say('agent'), 'skills/review/recipes/it.json': say('skill') });
    expect(await runImport('{agent}/tools/it.json')).toBe('agent');
    expect(await runImport('review/it')).toBe('skill');
    write({
      'packaged/recipes/outer.json': { imports: { x: '{repo}/recipes/inner.json' }, template: { name: 'x' } },
      'packaged/recipes/inner.json': say('inner'),
    });
    expect(await runImport('outer')).toBe('inner');
  });

  test('an import cannot leave these folders, by path or by link', async () => {
    write({ 'secret.json': say('secret') });
    mkdirSync(join(root, 'packaged/recipes'), { recursive: true });
    symlinkSync(join(root, 'secret.json'), join(root, 'packaged/recipes/linked.json'));
    for (const from of [
      '{agent}/../secret.json',
      'linked',
      '../../secret.json',
      join(root, 'secret.json'),
      '{repo}/../secret.json',
    ])
      expect([from, await runImport(from)]).toEqual([from, expect.stringContaining('template.import_not_found')]);
  });

  test('an import is found only in the project when the config names no folders', async () => {
    write({ 'project/recipewright.config.mjs': 'export default {};\n', 'packaged/recipes/it.json': say('packaged') });
    expect(await runImport('it')).toContain('template.import_not_found');
    write({ 'project/recipes/it.json': say('beside') });
    expect(await runImport('it')).toBe('beside');
  });
});
