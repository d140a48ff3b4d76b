// The files of template recipes: loading with imports, discovery in order of priority, and usage counts.
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

describe('the imports of a template recipe', () => {
  test('a relative import is found next to the importing file, whatever the working directory is', () => {
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

  test('the recipe of a skill is imported by skill and name, and a bare name is found in the search path', () => {
    write('skills/git/recipes/log.json', { template: 'git log' });
    write('more/tidy.md', '---\n---\n```template\ntidy up\n```\n');
    const file = write('main.json', { imports: { a: 'git/log', b: 'tidy' }, template: [{ name: 'a' }, { name: 'b' }] });
    const options = { skillRoots: [join(root, 'skills')], searchPath: [join(root, 'more')], agentDir: join(root, 'none') };
    expect(loadTemplateRecipe(file, options).recipe?.template).toEqual([{ template: 'git log' }, { template: 'tidy up' }]);
  });

  test('an import can be used in a recovery', () => {
    write('fix.json', { template: 'repair' });
    const file = write('main.json', { imports: { fix: './fix.json' }, retry: 2, recover: { name: 'fix' }, template: 'try' });
    expect(loadTemplateRecipe(file).recipe?.template).toEqual({ retry: 2, recover: { template: 'repair' }, template: 'try' });
  });

  test('an unknown import is reported at its position', () => {
    const file = write('main.json', { imports: {}, template: ['a', { template: [{ name: 'nope' }] }] });
    expect(() => loadTemplateRecipe(file)).toThrow(
      expect.objectContaining({ message: 'Unknown recipe import: nope', pointer: ['template', 1, 'template', 0, 'name'] }),
    );
  });

  test('a syntax error in a recipe is reported at its position', () => {
    const { recipe, findings } = loadTemplateRecipe(write('a.json', '{\n  "template": "x",\n  "template": "y"\n}'));
    expect(recipe).toBeUndefined();
    expect(findings).toMatchObject([{ code: 'document.duplicate_key', place: { line: 3 } }]);
  });

  test('a recipe file is read again only after it changed', () => {
    const file = write('a.json', { template: 'one' });
    const first = readTemplateFile(file);
    expect(readTemplateFile(file)).toBe(first);
    write('a.json', { template: 'two' });
    utimesSync(file, new Date(), new Date(Date.now() + 5_000));
    expect(readTemplateFile(file)?.raw).toEqual({ template: 'two' });
  });

  test('the defaults of a recipe are merged with the defaults of its template', () => {
    const file = write('a.json', { defaults: { a: 1, b: 1 }, template: { defaults: { b: 2 }, template: 'x' } });
    expect(loadTemplateRecipe(file).recipe?.template).toEqual({ defaults: { a: 1, b: 2 }, template: 'x' });
  });
});

describe('the discovery of template recipes', () => {
  const places = () => ({
    userRoot: join(root, 'user'),
    packagedRoot: join(root, 'packaged'),
    files: [join(root, 'adhoc/x.json')],
  });

  test('the first recipe with a name wins, even when it is broken or disabled', () => {
    const [broken, off] = [write('user/broken.json', '{ nope'), write('user/off.json', { disabled: true, template: 'x' })];
    for (const name of ['broken', 'off', 'good', 'x']) write(`packaged/${name}.json`, { template: 'packaged' });
    write('user/good.json', { template: 'user' });
    write('user/good.md', '---\n---\n```template\nmd\n```\n');
    write('adhoc/x.json', { template: 'adhoc' });
    const discovery = discoverTemplates(places());
    expect([...discovery.recipes.values()].map(({ name, layer, status, isTool }) => [name, layer, status, isTool])).toEqual([
      ['broken', 'user', 'invalid', false],
      ['good', 'user', 'active', true],
      ['off', 'user', 'disabled', false],
      ['x', 'adhoc', 'active', false],
    ]);
    expect(discovery.diagnostics).toContain('Recipe broken is invalid and blocks lower-priority recipes');
    expect(discovery.diagnostics).toContain('Recipe off is disabled and blocks lower-priority recipes');
    expect(discovery.diagnostics).toContain('Recipe good shadows 1 lower-priority recipe(s)');
    expect(discovery.diagnostics).toContain(
      `Markdown recipe ${join(root, 'user/good.md')} is shadowed by JSON recipe ${join(root, 'user/good.json')}`,
    );
    expect(launchable('good', discovery)).toEqual({ file: join(root, 'user/good.json') });
    expect(launchable('broken', discovery)).toEqual({
      refused: `Template recipe must define template: ${broken} reason=shadowed_invalid active_path=${broken} blocked_fallback=${join(root, 'packaged/broken.json')} hint=inspect_recipes_doctor`,
    });
    expect(launchable('off', discovery)).toMatchObject({
      refused: expect.stringContaining(`disabled: ${off} reason=shadowed_disabled`),
    });
  });

  test('a recipe that cannot be loaded does not stop the discovery of others', () => {
    write('user/bad.json', { imports: { a: 'gone' }, template: { name: 'a' } });
    write('user/good.json', { template: 'x' });
    const { recipes, diagnostics } = discoverTemplates(places());
    expect(recipes.get('good')?.status).toBe('active');
    expect(diagnostics[0]).toBe(`Failed to load recipe ${join(root, 'user/bad.json')}: Recipe import not found: a`);
  });
});

describe('the usage count of a template recipe', () => {
  test('launches are counted in a separate file, and the count restarts when the recipe changes', () => {
    const file = write('a.json', { template: 'x' });
    const contentBefore = readFileSync(file, 'utf8');
    recordUsage(file, { kind: 'tool' });
    expect(recordUsage(file, { kind: 'direct' })).toMatchObject({
      calls: 2,
      tool_calls: 1,
      direct_calls: 1,
      launch_kind: 'direct',
    });
    expect(readFileSync(file, 'utf8')).toBe(contentBefore);
    expect(existsSync(usageFilePath(file))).toBe(true);
    write('a.json', { template: 'y' });
    const restarted = recordUsage(file, { kind: 'tool' });
    expect(restarted).toMatchObject({ calls: 1, reset_reason: 'recipe content fingerprint changed' });
    expect(restarted).not.toHaveProperty('direct_calls');
  });

  test('with inFile, launches are counted in the recipe without other changes', () => {
    const file = write('a.json', { template: 'x', name: 'n' });
    recordUsage(file, { kind: 'tool', inFile: true });
    recordUsage(file, { kind: 'tool', inFile: true });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ template: 'x', name: 'n', usage: { calls: 2 } });
    expect(existsSync(usageFilePath(file))).toBe(false);
  });

  test('launches of a Markdown recipe are not counted', () => {
    expect(recordUsage(write('a.md', '---\n---\n'), { kind: 'tool' })).toBeUndefined();
  });
});

test('artifacts keep the order of the author, and a missing value is an error', () => {
  const artifacts = { report: '{out}/r.md', summary: 's.json' };
  expect(resolveArtifacts(artifacts, { callerValues: { out: 'o' } })).toEqual([
    { name: 'report', path: 'o/r.md' },
    { name: 'summary', path: 's.json' },
  ]);
  expect(() => resolveArtifacts(artifacts, { callerValues: {} })).toThrow('Missing recipe artifacts.report value: out');
});

test('the context of a command has its recipe and the imports, unless the author opts out', () => {
  write('base.json', { template: 'pi -p ask' });
  const file = write('main.json', { imports: { b: './base.json' }, template: { name: 'b' } });
  const source = readTemplateFile(file);
  if (!source) throw new Error('The recipe file does not exist.');
  const records = recipeContext(source, createFileLibrary({}));
  expect(records.map(({ name, role, depth, import_path }) => [name, role, depth, import_path])).toEqual([
    ['main', 'entry', 0, []],
    ['base', 'import', 1, ['b']],
  ]);
  const lines = contextLines(records, ['b']);
  const printed = lines.split('\n').map((line) => JSON.parse(line) as { file: string; you_are_here?: boolean });
  expect(printed.map(({ file, you_are_here }) => [file, you_are_here])).toEqual([
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
] as const)('the context of the command %j is added to the word %s', ([words, at]) => {
  expect(withContext(words, 'CONTEXT')).toEqual(words.map((word, index) => (index === at ? `${word}\n\nCONTEXT` : word)));
});

test('a context contains no double braces, and drops the recipes when it is too long for an argument', () => {
  const record = { name: 'a', file: '/x/a.json', role: 'entry', depth: 0, import_path: [] } as const;
  const lines = contextLines([{ ...record, recipe: { description: '{{secret}} {{{x}}}' } }], []);
  expect(lines).not.toContain('{{');
  expect(JSON.parse(lines)).toMatchObject({ recipe: { description: '{{secret}} {{{x}}}' }, you_are_here: true });
  const long = contextLines([{ ...record, recipe: { description: 'x'.repeat(200_000) } }], []);
  expect(JSON.parse(long)).not.toHaveProperty('recipe');
});
