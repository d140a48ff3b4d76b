// recipewright graph: draws one file as one picture, or says why it cannot.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { printGraph } from '../../../src/cli/graph.js';
import { directory, jsonIn, write } from '../evidence/packages.js';
import { richPackage, richRecipe } from '../evidence/richPackage.js';

function recipeFile(recipe: unknown = richRecipe): { dir: string; file: string; out: string } {
  const dir = directory();
  const file = join(dir, 'a.recipe.json');
  writeFileSync(file, JSON.stringify(recipe));
  return { dir, file, out: join(dir, 'a.svg') };
}

describe('recipewright graph', () => {
  test('graph writes the picture of a recipe to a file', async () => {
    const { file, out } = recipeFile();
    expect(await printGraph([file], { out })).toBe(0);
    const svg = readFileSync(out, 'utf8');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="[\d.]+" height="[\d.]+"/);
    expect(svg).toContain('A rich recipe');
    expect(svg).not.toContain('not reached');
  });

  test('graph with a package shows the result of each node', async () => {
    const { file, out } = recipeFile();
    const { dir } = await richPackage();
    expect(await printGraph([file], { out, package: dir })).toBe(0);
    const svg = readFileSync(out, 'utf8');
    expect(svg).toContain('failed, tolerated');
    expect(svg).toMatch(/\d+\. passed · \d+ ms/);
    expect(svg).not.toContain('not reached');
  });

  test('graph draws nothing for a package that is not intact', async () => {
    const { file, out } = recipeFile();
    const { dir } = await richPackage();
    write(dir, 'trace.json', JSON.parse(JSON.stringify(jsonIn(dir, 'trace.json')).replaceAll('"ok":false', '"ok":true')));
    await expect(printGraph([file], { out, package: dir })).rejects.toThrow(
      /is not intact, so its path is not drawn: the evidence does not hold/,
    );
    expect(existsSync(out)).toBe(false);
  });

  test('graph writes Mermaid text on request', async () => {
    const { file, out } = recipeFile();
    expect(await printGraph([file], { out, format: 'mermaid' })).toBe(0);
    expect(readFileSync(out, 'utf8')).toMatch(/^flowchart TD\n {2}subgraph b0\["A rich recipe"\]\n/);
  });

  test('graph draws nothing for a recipe with errors', async () => {
    const { file, out } = recipeFile({ ...richRecipe, schema_version: 7 });
    expect(await printGraph([file], { out })).toBe(1);
    expect(existsSync(out)).toBe(false);
  });

  test.for<[what: string, options: (dir: string) => object, message: RegExp]>([
    ['an unknown format', () => ({ format: 'gif' }), /--format must be one of svg, png, mermaid, but it is "gif"/],
    [
      'calls that are neither open nor folded',
      () => ({ calls: 'shut' }),
      /--calls must be one of open, folded, but it is "shut"/,
    ],
    ['a package that is not there', (dir) => ({ package: join(dir, 'none') }), /--package needs the directory/],
    ['a package without a trace', (dir) => ({ package: dir }), /has no readable trace: .*trace\.json/],
    ['an output in a directory that is not there', (dir) => ({ out: join(dir, 'none/a.svg') }), /There is no directory/],
    ['an output that is a directory', (dir) => ({ out: dir }), /is a directory/],
    ['a PNG as JSON', () => ({ format: 'png', json: true, out: undefined }), /--json cannot print a PNG/],
  ])('graph refuses %s', async ([, options, message]) => {
    const { dir, file, out } = recipeFile();
    await expect(printGraph([file], { out, ...options(dir) })).rejects.toThrow(message);
    expect(existsSync(out)).toBe(false);
  });

  test('graph refuses the package of another recipe', async () => {
    const { dir } = await richPackage();
    const other = {
      schema_version: 1,
      validate: {
        workflow: {
          entry: 'x',
          nodes: { x: { action: 'wait', intent: 'Wait a bit', duration_ms: 0, next: 'y' }, y: { action: 'end', status: 'pass' } },
        },
      },
    };
    const { file, out } = recipeFile(other);
    await expect(printGraph([file], { out, package: dir })).rejects.toThrow(
      /is of another recipe, .* "a" has the digest sha256:/,
    );
    // The package of another runner has no digest.
    const { recipe: _, harness: _ours, ...summary } = jsonIn(dir, 'summary.json');
    write(dir, 'summary.json', summary);
    rmSync(join(dir, 'journal.jsonl'));
    await expect(printGraph([file], { out, package: dir })).rejects.toThrow(/contains no node of this recipe/);
    expect(existsSync(out)).toBe(false);
  });

  test('graph refuses the package of a recipe that only shares node names', async () => {
    const { dir } = await richPackage();
    const { file, out } = recipeFile({ ...richRecipe, title: 'Another one' });
    await expect(printGraph([file], { out, package: dir })).rejects.toThrow(/is of another recipe/);
    expect(existsSync(out)).toBe(false);
  });

  test.for([[], ['a', 'b']])('graph refuses %j instead of one file', async (names) => {
    await expect(printGraph(names, {})).rejects.toThrow(/graph needs one file/);
  });
});
