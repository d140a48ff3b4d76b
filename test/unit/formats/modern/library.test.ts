// Libraries: which file belongs to the id of a recipe.
import { describe, expect, test } from 'vitest';
import { joinLibraries, listLibraryIds, parseLibrary } from '../../../../src/formats/modern/library.js';

const ids = (files: string[], platform?: string) =>
  Object.fromEntries(listLibraryIds({ name: 'l', root: '/l', files }, platform).ids);

describe('the id of a library recipe', () => {
  test('the id of a library recipe is its path below recipes/ with dots', () => {
    expect(ids(['recipes/greet.recipe.json', 'recipes/wallet/unlock.recipe.json'])).toEqual({
      greet: 'recipes/greet.recipe.json',
      'wallet.unlock': 'recipes/wallet/unlock.recipe.json',
    });
  });

  test('the id of a library recipe does not contain the folder of a platform', () => {
    const files = ['core', 'extension', 'mobile', 'shared'].map((folder) => `recipes/${folder}/${folder}s/a.recipe.json`);
    expect(Object.keys(ids(files))).toEqual(['cores.a', 'extensions.a', 'mobiles.a', 'shareds.a']);
    expect(Object.keys(ids(['recipes/core.recipe.json', 'recipes/other/core/a.recipe.json']))).toEqual(['core', 'other.core.a']);
  });

  test('the id of a library recipe is the same for Windows paths', () => {
    expect(ids(['recipes\\wallet\\unlock.recipe.json'])).toEqual({ 'wallet.unlock': 'recipes/wallet/unlock.recipe.json' });
  });

  test('files of a library that are not recipes have no id', () => {
    expect(
      ids([
        'library.json',
        'greet.recipe.json',
        'recipes/greet.json',
        'recipes/.recipe.json',
        'recipes/a/.main.recipe.json',
        'recipes/a..main.recipe.json',
        'old/recipes/a.recipe.json',
      ]),
    ).toEqual({});
  });

  test('the id of a library recipe can be __proto__', () => {
    expect([...listLibraryIds({ name: 'l', root: '/l', files: ['recipes/__proto__.recipe.json'] }).ids.keys()]).toEqual([
      '__proto__',
    ]);
  });
});

describe('an id that a library has twice', () => {
  const files = ['recipes/a/b.recipe.json', 'recipes/a.b.recipe.json'];

  test('an id that a library has twice is a finding that names both files', () => {
    const { findings } = listLibraryIds({ name: 'mine', root: '/l', files });
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      code: 'recipe.duplicate_library_id',
      severity: 'error',
      place: { file: '/l/recipes/a/b.recipe.json' },
    });
    expect(findings[0]?.message).toContain('recipes/a.b.recipe.json and recipes/a/b.recipe.json');
  });

  test('recipes of different platforms may have the same id when a platform is set', () => {
    const variants = ['recipes/shared/a.recipe.json', 'recipes/core/a.recipe.json', 'recipes/mobile/a.recipe.json'];
    const source = { name: 'l', root: '/l', files: variants };
    expect(listLibraryIds(source).findings).toHaveLength(2);
    expect(listLibraryIds(source, 'mobile')).toEqual({ ids: new Map([['a', 'recipes/mobile/a.recipe.json']]), findings: [] });
    expect(ids(['recipes/a.recipe.json', 'recipes/mobile/a.recipe.json'], 'mobile')).toEqual({
      a: 'recipes/mobile/a.recipe.json',
    });
    expect(listLibraryIds(source, 'extension').ids).toEqual(new Map([['a', 'recipes/shared/a.recipe.json']]));
  });
});

test('the first library with an id wins, and the hidden recipes are listed', () => {
  const { recipes, shadowed, findings } = joinLibraries([
    { name: 'task-local', root: '/task', files: ['recipes/a.recipe.json'] },
    { name: 'mine', root: '/mine', files: ['recipes/a.recipe.json', 'recipes/b.recipe.json'] },
  ]);
  expect([...recipes.values()].map(({ id, source, file }) => `${id} ${source} ${file}`)).toEqual([
    'a task-local /task/recipes/a.recipe.json',
    'b mine /mine/recipes/b.recipe.json',
  ]);
  expect(shadowed).toEqual([{ id: 'a', source: 'mine', by: 'task-local' }]);
  expect(findings).toEqual([]);
});

test.for([
  ['mine=libs/mine', { name: 'mine', root: 'libs/mine' }],
  [' mine = a=b ', { name: 'mine', root: 'a=b' }],
  ['libs/mine/', { name: 'mine', root: 'libs/mine/' }],
  ['=libs', undefined],
  ['mine=', undefined],
  ['', undefined],
] as const)('the library option %j is parsed as %j', ([text, expected]) => {
  expect(parseLibrary(text)).toEqual(expected);
});
