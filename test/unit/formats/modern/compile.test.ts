// A modern recipe compiles to an equivalent classic recipe, which can be printed and run and records where each part was written.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasErrors } from '../../../../src/document/finding.js';
import { joinPointer } from '../../../../src/document/jsonPointer.js';
import { recipeV1 } from '../../../../src/formats/classic/compile.js';
import { recipeV1Modern, toClassic } from '../../../../src/formats/modern/compile.js';
import { corpus, libraryOf, parse, projectRoot, readFile, resolveNothing } from './modernFiles.js';

const folder = join(projectRoot, 'test/corpus/modern');
const names = readdirSync(folder).filter((name) => name.endsWith('.recipe.json'));
const translate = (name: string) => toClassic(readFile(join(folder, name)), libraryOf(join(folder, name)));

test.for([
  [{ workflow: {} }, true],
  [{ workflow: {}, validate: {} }, false],
  [{ validate: { workflow: {} } }, false],
  [[{ workflow: {} }], false],
  ['workflow', false],
  [null, false],
] as const)('the detection of %j as a modern recipe returns %s', ([value, modern]) => {
  expect(recipeV1Modern.detect(parse('a.json', JSON.stringify(value)))).toBe(modern);
});

describe('a modern recipe', () => {
  test.for(names)('the modern recipe %s compiles to the recorded classic recipe', async (name) => {
    const { json, findings } = translate(name);
    expect(hasErrors(findings)).toBe(false);
    await expect(`${JSON.stringify(json, null, 2)}\n`).toMatchFileSnapshot(join(folder, name.replace('.recipe.', '.classic.')));
  });

  test.for(names)('the modern recipe %s stays the same when it is printed and read again', (name) => {
    const document = readFile(join(folder, name));
    const { compiled } = recipeV1Modern.compile(document, libraryOf(document.file));
    const printed = parse(document.file, JSON.stringify(compiled?.recipe.json));
    const reread = recipeV1.compile(printed, resolveNothing);
    expect(reread.findings).toEqual([]);
    expect(reread.compiled?.recipe).toEqual(compiled?.recipe);
    expect(compiled?.recipe.nodes.size).toBeGreaterThan(1);
  });

  test('the translation of a modern recipe does not change the authored document', () => {
    for (const name of names) {
      const document = readFile(join(folder, name));
      toClassic(document, libraryOf(document.file));
      expect(document.value).toEqual(JSON.parse(document.text));
    }
  });
});

describe('the origin of a part', () => {
  // Strings that are equal to the string at their origin are correct. All other strings are in the snapshot.
  test('the origin of each string is where it, or the part it was generated from, was written', async () => {
    const moved = names.flatMap((name) => {
      const { json, origin } = translate(name);
      return [...stringsIn(json, '')].flatMap(([pointer, text]) => {
        const place = origin(pointer, 'value');
        const line = readFileSync(place.file, 'utf8').split('\n')[place.line - 1] ?? '';
        const authored = line.slice(place.column - 1).replace(/,$/, '');
        return blankReferences(authored) === blankReferences(JSON.stringify(text))
          ? []
          : [`${basename(name, '.recipe.json')} ${pointer} = ${text} ← ${authored}`];
      });
    });
    await expect(`${moved.join('\n')}\n`).toMatchFileSnapshot(join(folder, 'origins.txt'));
  });

  test('the origin of every pointer is in an authored file', () => {
    for (const name of names) {
      const { json, origin } = translate(name);
      const files = new Set([...stringsIn(json, '')].map(([pointer]) => origin(pointer).file));
      expect([...files].every((file) => existsSync(file))).toBe(true);
      for (const pointer of ['', '/schema_version', '/no/such/part', '/validate/workflow/nodes/nobody/cmd'])
        expect(origin(pointer).file).toBe(join(folder, name));
    }
  });

  test('the origin of a part of a called recipe is in the file of that recipe', () => {
    const { origin } = translate('calls.recipe.json');
    const shop = join(folder, 'recipe-library/recipes/shared/shop/order.recipe.json');
    expect(origin(joinPointer('/flows', 'shop.order..teardown', 'workflow', 'nodes', 'cancel', 'argv'))).toMatchObject({
      file: shop,
      line: 48,
    });
    expect(origin('/validate/workflow/nodes/greet-host/params/name')).toMatchObject({
      file: expect.stringContaining('greet.recipe.json'),
    });
  });
});

describe.skipIf(!existsSync(corpus))('the published modern recipes (skipped without ../shared/corpus)', () => {
  const modern = join(corpus, 'recipes/v1-modern');
  const published = existsSync(corpus)
    ? readdirSync(modern, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.recipe.json'))
    : [];

  test.for(published)('the published modern recipe %s compiles', (name) => {
    const document = readFile(join(modern, name));
    const { compiled, findings } = recipeV1Modern.compile(document, libraryOf(document.file, join(modern, 'library-hello')));
    expect(findings).toEqual([]);
    expect(compiled?.recipe.entry).toBe((document.value as { workflow: { entry: string } }).workflow.entry);
  });

  test('the corpus has seven published modern recipes, and the recipe of a published package also compiles', () => {
    expect(published).toHaveLength(7);
    const packaged = readFile(join(corpus, 'packages/727-recipe-run/recipe.json'));
    expect(recipeV1Modern.compile(packaged, resolveNothing).findings).toEqual([]);
  });

  test('the published modern recipe without an end is refused for this reason only', () => {
    const document = readFile(join(corpus, 'recipes/invalid/pr-webhook-routing.real.recipe.json'));
    expect(recipeV1Modern.detect(document)).toBe(true);
    const { compiled, findings } = recipeV1Modern.compile(document, resolveNothing);
    expect(compiled).toBeUndefined();
    expect(findings.map(({ code, place }) => `${code}:${place.line}`)).toEqual([
      'workflow.missing_transition:8',
      'workflow.no_reachable_terminal:7',
    ]);
  });
});

// The translation changes the spelling of references, but not the text around them.
function blankReferences(text: string): string {
  return text.replace(/\{\{[^}]*\}\}/g, '{{}}');
}

function* stringsIn(value: unknown, pointer: string): Generator<[pointer: string, text: string]> {
  if (typeof value === 'string') yield [pointer, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* stringsIn(inner, joinPointer(pointer, key));
}
