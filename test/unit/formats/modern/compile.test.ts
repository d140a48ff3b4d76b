// A modern recipe becomes a classic one that says the same, can be printed and run, and knows where each part was written.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasErrors } from '../../../../src/document/finding.js';
import { joinPointer } from '../../../../src/document/jsonPointer.js';
import { recipeV1 } from '../../../../src/formats/classic/compile.js';
import { recipeV1Modern, toClassic } from '../../../../src/formats/modern/compile.js';
import { corpus, libraryOf, none, parse, projectRoot, readFile } from './modernFiles.js';

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
] as const)('%j is taken for a modern recipe: %s', ([value, modern]) => {
  expect(recipeV1Modern.detect(parse('a.json', JSON.stringify(value)))).toBe(modern);
});

describe('a modern recipe', () => {
  test.for(names)('%s becomes the classic recipe that lies beside it', async (name) => {
    const { json, findings } = translate(name);
    expect(hasErrors(findings)).toBe(false);
    await expect(`${JSON.stringify(json, null, 2)}\n`).toMatchFileSnapshot(join(folder, name.replace('.recipe.', '.classic.')));
  });

  test.for(names)('%s is the same recipe when it is printed and read again', (name) => {
    const document = readFile(join(folder, name));
    const { compiled } = recipeV1Modern.compile(document, libraryOf(document.file));
    const printed = parse(document.file, JSON.stringify(compiled?.recipe.json));
    const again = recipeV1.compile(printed, none);
    expect(again.findings).toEqual([]);
    expect(again.compiled?.recipe).toEqual(compiled?.recipe);
    expect(compiled?.recipe.nodes.size).toBeGreaterThan(1);
  });

  test('is translated without a change to what was authored', () => {
    for (const name of names) {
      const document = readFile(join(folder, name));
      toClassic(document, libraryOf(document.file));
      expect(document.value).toEqual(JSON.parse(document.text));
    }
  });
});

describe('the origin of a part', () => {
  // A text that stands at its own origin needs no explanation; all others are listed.
  test('is where its text was written, or where what it was made from was written', async () => {
    const moved = names.flatMap((name) => {
      const { json, origin } = translate(name);
      return [...textsIn(json, '')].flatMap(([pointer, text]) => {
        const place = origin(pointer, 'value');
        const line = readFileSync(place.file, 'utf8').split('\n')[place.line - 1] ?? '';
        const found = line.slice(place.column - 1).replace(/,$/, '');
        return blank(found) === blank(JSON.stringify(text))
          ? []
          : [`${basename(name, '.recipe.json')} ${pointer} = ${text} ← ${found}`];
      });
    });
    await expect(`${moved.join('\n')}\n`).toMatchFileSnapshot(join(folder, 'origins.txt'));
  });

  test('of every pointer is inside of an authored file', () => {
    for (const name of names) {
      const { json, origin } = translate(name);
      const files = new Set([...textsIn(json, '')].map(([pointer]) => origin(pointer).file));
      expect([...files].every((file) => existsSync(file))).toBe(true);
      for (const pointer of ['', '/schema_version', '/no/such/part', '/validate/workflow/nodes/nobody/cmd'])
        expect(origin(pointer).file).toBe(join(folder, name));
    }
  });

  test('inside of a called recipe is in the file of that recipe', () => {
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

describe.skipIf(!existsSync(corpus))('the published modern recipes (skipped where ../shared/corpus is not)', () => {
  const modern = join(corpus, 'recipes/v1-modern');
  const published = existsSync(corpus)
    ? readdirSync(modern, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.recipe.json'))
    : [];

  test.for(published)('%s compiles', (name) => {
    const document = readFile(join(modern, name));
    const { compiled, findings } = recipeV1Modern.compile(document, libraryOf(document.file, join(modern, 'library-hello')));
    expect(findings).toEqual([]);
    expect(compiled?.recipe.entry).toBe((document.value as { workflow: { entry: string } }).workflow.entry);
  });

  test('all of them are looked at, and the recipe of a published package with them', () => {
    expect(published).toHaveLength(7);
    const retained = readFile(join(corpus, 'packages/727-recipe-run/recipe.json'));
    expect(recipeV1Modern.compile(retained, none).findings).toEqual([]);
  });

  test('the one that leads nowhere is refused for that and nothing else', () => {
    const document = readFile(join(corpus, 'recipes/invalid/pr-webhook-routing.real.recipe.json'));
    expect(recipeV1Modern.detect(document)).toBe(true);
    const { compiled, findings } = recipeV1Modern.compile(document, none);
    expect(compiled).toBeUndefined();
    expect(findings.map(({ code, place }) => `${code}:${place.line}`)).toEqual([
      'workflow.missing_transition:8',
      'workflow.no_reachable_terminal:7',
    ]);
  });
});

// References are spelt anew; the text around them is not.
function blank(text: string): string {
  return text.replace(/\{\{[^}]*\}\}/g, '{{}}');
}

function* textsIn(value: unknown, pointer: string): Generator<[pointer: string, text: string]> {
  if (typeof value === 'string') yield [pointer, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* textsIn(inner, joinPointer(pointer, key));
}
