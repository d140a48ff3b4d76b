import { describe, expect, test } from 'vitest';
import { findLoop, layersOf } from '../../../../src/actions/flow/layers.js';
import { defineAgent } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { cpuMs } from '../../../support/cpuMs.js';
import { agent, compileManifest, edge, manifest, runManifest } from './runManifest.js';

describe('the loop that links make', () => {
  const links = (...pairs: string[]) => pairs.map((pair) => ({ from: pair[0] ?? '', to: pair[1] ?? '' }));

  test.for([
    ['abc', ['ab', 'bc'], undefined],
    ['abc', ['ab', 'bc', 'ca'], 'abca'],
    ['abc', ['ab', 'bb', 'bc'], 'bb'],
    ['abcd', ['ab', 'bc', 'cb', 'cd'], 'bcb'],
    ['abcde', ['ab', 'ac', 'bd', 'cd', 'de'], undefined],
    ['abcd', ['cd', 'dc', 'ab'], 'cdc'],
    ['', [], undefined],
  ] as const)('among %s by %j is %s', ([ids, pairs, loop]) => {
    expect(findLoop([...ids], links(...pairs))?.join('')).toBe(loop);
  });

  test('is found in a time that grows with the topology, not with its cube', () => {
    const chain = (size: number) => {
      const ids = Array.from({ length: size }, (_, index) => `n${index}`);
      const along = ids.slice(1).map((to, index) => ({ from: `n${index}`, to }));
      return { ids, links: [...along, { from: `n${size - 1}`, to: 'n0' }] };
    };
    const { ids, links } = chain(100_000);
    expect(cpuMs(() => expect(findLoop(ids, links)).toHaveLength(100_001))).toBeLessThan(5_000);
  });

  test('is told of at once in a topology as large as one may be', () => {
    const nodes = Array.from({ length: 4_000 }, (_, index) => agent(`n${index}`));
    const edges = nodes.map((_, index) => edge(`n${index}`, `n${(index + 1) % 4_000}`));
    const back = [...edges.slice(0, -1), edge('n3999', 'n0', 'again')];
    expect(cpuMs(() => expect(compileManifest(manifest(nodes, back)).compiled).toBeDefined())).toBeLessThan(10_000);
    const { findings } = compileManifest(manifest(nodes, edges));
    expect(findings.map(({ code }) => code)).toEqual(['runtime.endless_loop']);
  });
});

test('ids that run into each other are kept apart', () => {
  const { layerOf, hasLoop } = layersOf(
    ['a\nb', 'c', 'a', 'b\nc'],
    [
      { from: 'a\nb', to: 'c' },
      { from: 'c', to: 'a\nb' },
      { from: 'a', to: 'b\nc' },
    ],
  );
  expect(hasLoop).toBe(true);
  expect(layerOf.get('b\nc')).toBe(1);
});

test('a layer waits for the one before however wide they are', async () => {
  const width = 240;
  const numbers = Array.from({ length: width }, (_, index) => index);
  const nodes = ['a', 'b'].flatMap((layer) => numbers.map((number) => agent(`${layer}${number}`, layer)));
  const edges = numbers.map((number) => edge(`a${number}`, `b${number}`));
  let running = 0;
  const early: string[] = [];
  const first = async ({ node }: { node: string }) => {
    running++;
    // The last one is the slowest.
    for (let turn = 0; turn < (node === `a${width - 1}` ? 50 : 1); turn++) await new Promise(setImmediate);
    running--;
    return null;
  };
  const second = ({ node }: { node: string }) => {
    if (running > 0) early.push(node);
    return null;
  };
  const ran = await runManifest(manifest(nodes, edges), { agents: [defineAgent('a', first), defineAgent('b', second)] });
  expect(ran).toMatchObject({ status: 'pass', replayed: undefined });
  expect(early).toEqual([]);
  expect(ran.executed.filter((path) => path.startsWith('topology/b'))).toHaveLength(width);
});

test('a layer of which nothing fired is skipped as a whole, and so is what follows', async () => {
  const nodes = ['a', 'b', 'c', 'd', 'e'].map((id) => agent(id, 'A'));
  const edges = [edge('a', 'b', 'never'), edge('b', 'c'), edge('c', 'd'), edge('a', 'e')];
  const ran = await runManifest(manifest(nodes, edges), { agents: [defineAgent('A', () => 'x')] });
  expect(ran).toMatchObject({ status: 'pass', skipped: ['topology/b', 'topology/c', 'topology/d'] });
});
