// Recipe files: read strictly by default, found in order of priority, counted without touching them.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolveArtifacts } from '../../../../src/formats/template/artifacts.js';
import { discoverTemplates, launchable } from '../../../../src/formats/template/files/discoverTemplates.js';
import {
  createFileLibrary,
  loadTemplateRecipe,
  readTemplateFile,
} from '../../../../src/formats/template/files/loadTemplateRecipe.js';
import { recordUsage, usageFilePath } from '../../../../src/formats/template/files/recordUsage.js';
import { contextLines, recipeContext, withContext } from '../../../../src/formats/template/recipeContext.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'recipewright-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, content: unknown): string {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('a recipe with imports', () => {
  test('finds them beside it, whatever directory it is loaded from', () => {
    write('lib/base.json', { defaults: { word: 'hi', n: 1 }, template: 'echo {word}' });
    const file = write('lib/main.json', {
      imports: { b: { from: './base', values: { word: 'yo' } } },
      template: [{ name: 'b', defaults: { n: 2 } }, 'x {b.defaults.word} {b.name}'],
    });
    expect(loadTemplateRecipe(file).recipe?.template).toEqual([
      { defaults: { word: 'yo', n: 2 }, values: { word: 'yo' }, template: 'echo {word}' },
      'x hi base',
    ]);
  });

  test('finds one of a skill by its name, and a bare one along the search path', () => {
    write('skills/git/recipes/log.json', { template: 'git log' });
    write('more/tidy.md', '---\n---\n```template\ntidy up\n```\n');
    const file = write('main.json', { imports: { a: 'git/log', b: 'tidy' }, template: [{ name: 'a' }, { name: 'b' }] });
    const options = { skillRoots: [join(root, 'skills')], searchPath: [join(root, 'more')], agentDir: join(root, 'none') };
    expect(loadTemplateRecipe(file, options).recipe?.template).toEqual([{ template: 'git log' }, { template: 'tidy up' }]);
  });

  test('embeds them in recoveries too', () => {
    write('fix.json', { template: 'repair' });
    const file = write('main.json', { imports: { fix: './fix.json' }, retry: 2, recover: { name: 'fix' }, template: 'try' });
    expect(loadTemplateRecipe(file).recipe?.template).toEqual({ retry: 2, recover: { template: 'repair' }, template: 'try' });
  });

  test('says where an import is named that there is not', () => {
    const file = write('main.json', { imports: {}, template: ['a', { template: [{ name: 'nope' }] }] });
    expect(() => loadTemplateRecipe(file)).toThrow(
      expect.objectContaining({ message: 'Unknown recipe import: nope', pointer: ['template', 1, 'template', 0, 'name'] }),
    );
  });

  test('that is broken says where', () => {
    const { recipe, findings } = loadTemplateRecipe(write('a.json', '{\n  "template": "x",\n  "template": "y"\n}'));
    expect(recipe).toBeUndefined();
    expect(findings).toMatchObject([{ code: 'document.duplicate_key', place: { line: 3 } }]);
  });

  test('is read again when a file changes, and only then', () => {
    const file = write('a.json', { template: 'one' });
    const first = readTemplateFile(file);
    expect(readTemplateFile(file)).toBe(first);
    write('a.json', { template: 'two' });
    utimesSync(file, new Date(), new Date(Date.now() + 5_000));
    expect(readTemplateFile(file)?.raw).toEqual({ template: 'two' });
  });

  test('merges defaults around a template with those inside of it', () => {
    const file = write('a.json', { defaults: { a: 1, b: 1 }, template: { defaults: { b: 2 }, template: 'x' } });
    expect(loadTemplateRecipe(file).recipe?.template).toEqual({ defaults: { a: 1, b: 2 }, template: 'x' });
  });
});

describe('discovery', () => {
  const places = () => ({
    userRoot: join(root, 'user'),
    packagedRoot: join(root, 'packaged'),
    files: [join(root, 'adhoc/x.json')],
  });

  test('takes the first of a name, and passes over none that is broken or switched off', () => {
    const [broken, off] = [write('user/broken.json', '{ nope'), write('user/off.json', { disabled: true, template: 'x' })];
    for (const name of ['broken', 'off', 'good', 'x']) write(`packaged/${name}.json`, { template: 'packaged' });
    write('user/good.json', { template: 'user' });
    write('user/good.md', '---\n---\n```template\nmd\n```\n');
    write('adhoc/x.json', { template: 'adhoc' });
    const found = discoverTemplates(places());
    expect([...found.recipes.values()].map(({ name, layer, status, isTool }) => [name, layer, status, isTool])).toEqual([
      ['broken', 'user', 'invalid', false],
      ['good', 'user', 'active', true],
      ['off', 'user', 'disabled', false],
      ['x', 'adhoc', 'active', false],
    ]);
    expect(found.diagnostics).toContain('Recipe broken is invalid and blocks lower-priority recipes');
    expect(found.diagnostics).toContain('Recipe off is disabled and blocks lower-priority recipes');
    expect(found.diagnostics).toContain('Recipe good shadows 1 lower-priority recipe(s)');
    expect(found.diagnostics).toContain(
      `Markdown recipe ${join(root, 'user/good.md')} is shadowed by JSON recipe ${join(root, 'user/good.json')}`,
    );
    expect(launchable('good', found)).toEqual({ file: join(root, 'user/good.json') });
    expect(launchable('broken', found)).toEqual({
      refused: `Template recipe must define template: ${broken} reason=shadowed_invalid active_path=${broken} blocked_fallback=${join(root, 'packaged/broken.json')} hint=inspect_recipes_doctor`,
    });
    expect(launchable('off', found)).toMatchObject({
      refused: expect.stringContaining(`disabled: ${off} reason=shadowed_disabled`),
    });
  });

  test('is not stopped by one recipe that cannot be loaded', () => {
    write('user/bad.json', { imports: { a: 'gone' }, template: { name: 'a' } });
    write('user/good.json', { template: 'x' });
    const { recipes, diagnostics } = discoverTemplates(places());
    expect(recipes.get('good')?.status).toBe('active');
    expect(diagnostics[0]).toBe(`Failed to load recipe ${join(root, 'user/bad.json')}: Recipe import not found: a`);
  });
});

describe('usage', () => {
  test('is counted beside the recipe, and begins anew when its author changes it', () => {
    const file = write('a.json', { template: 'x' });
    const before = readFileSync(file, 'utf8');
    recordUsage(file, { kind: 'tool' });
    expect(recordUsage(file, { kind: 'direct' })).toMatchObject({
      calls: 2,
      tool_calls: 1,
      direct_calls: 1,
      launch_kind: 'direct',
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(existsSync(usageFilePath(file))).toBe(true);
    write('a.json', { template: 'y' });
    const anew = recordUsage(file, { kind: 'tool' });
    expect(anew).toMatchObject({ calls: 1, reset_reason: 'recipe content fingerprint changed' });
    expect(anew).not.toHaveProperty('direct_calls');
  });

  test('is kept in the file on request, which changes nothing else of it', () => {
    const file = write('a.json', { template: 'x', name: 'kept' });
    recordUsage(file, { kind: 'tool', inFile: true });
    recordUsage(file, { kind: 'tool', inFile: true });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ template: 'x', name: 'kept', usage: { calls: 2 } });
    expect(existsSync(usageFilePath(file))).toBe(false);
  });

  test('is not counted for what is no JSON', () => {
    expect(recordUsage(write('a.md', '---\n---\n'), { kind: 'tool' })).toBeUndefined();
  });
});

test('artifacts keep the order of their author, and say which value they lack', () => {
  const artifacts = { report: '{out}/r.md', summary: 's.json' };
  expect(resolveArtifacts(artifacts, { callerValues: { out: 'o' } })).toEqual([
    { name: 'report', path: 'o/r.md' },
    { name: 'summary', path: 's.json' },
  ]);
  expect(() => resolveArtifacts(artifacts, { callerValues: {} })).toThrow('Missing recipe artifacts.report value: out');
});

test('the context of a command is the recipes it comes from, unless its author opts out', () => {
  write('base.json', { template: 'pi -p ask' });
  const file = write('main.json', { imports: { b: './base.json' }, template: { name: 'b' } });
  const source = readTemplateFile(file);
  if (!source) throw new Error('the recipe is not there');
  const records = recipeContext(source, createFileLibrary({}));
  expect(records.map(({ name, role, depth, import_path }) => [name, role, depth, import_path])).toEqual([
    ['main', 'entry', 0, []],
    ['base', 'import', 1, ['b']],
  ]);
  const lines = contextLines(records, ['b']);
  const said = lines.split('\n').map((line) => JSON.parse(line) as { file: string; you_are_here?: boolean });
  expect(said.map(({ file, you_are_here }) => [file, you_are_here])).toEqual([
    ['main.json', undefined],
    ['base.json', true],
  ]);
  expect(recipeContext({ ...source, raw: { ...source.raw, actor_context: 'off' } }, createFileLibrary({}))).toEqual([]);
});

test.for([
  [['pi', '-p', 'ask'], 2],
  [['/usr/bin/pi', '--print', 'ask', '--fast'], 2],
  [['pi', '-p', '--model', 'm', 'ask'], 4],
  [['pi', '-p', '--fast'], undefined],
  [['pi', 'ask'], undefined],
  [['ls', '-p', 'ask'], undefined],
] as const)('the context of %j goes to the word %s', ([words, at]) => {
  const made = withContext(words, 'CONTEXT');
  expect(made).toEqual(words.map((word, index) => (index === at ? `${word}\n\nCONTEXT` : word)));
});

test('a context is never read as a template, and leaves out what would be too long for a word', () => {
  const record = { name: 'a', file: '/x/a.json', role: 'entry', depth: 0, import_path: [] } as const;
  const lines = contextLines([{ ...record, recipe: { description: '{{secret}} {{{x}}}' } }], []);
  expect(lines).not.toContain('{{');
  expect(JSON.parse(lines)).toMatchObject({ recipe: { description: '{{secret}} {{{x}}}' }, you_are_here: true });
  const long = contextLines([{ ...record, recipe: { description: 'x'.repeat(200_000) } }], []);
  expect(JSON.parse(long)).not.toHaveProperty('recipe');
});
