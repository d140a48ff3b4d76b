// Layers and loops of a topology.
import { describe, expect, test } from 'vitest';
import { findLoop, layersOf } from '../../../../src/actions/flow/layers.js';
import { defineAgent } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { cpuMs } from '../../../support/cpuMs.js';
import { agent, compileManifest, edge, manifest, runManifest } from './runManifest.js';

describe('findLoop', () => {
  const links = (...pairs: string[]) => pairs.map((pair) => ({ from: pair[0] ?? '', to: pair[1] ?? '' }));

  test.for([
    ['abc', ['ab', 'bc'], undefined],
    ['abc', ['ab', 'bc', 'ca'], 'abca'],
    ['abc', ['ab', 'bb', 'bc'], 'bb'],
    ['abcd', ['ab', 'bc', 'cb', 'cd'], 'bcb'],
    ['abcde', ['ab', 'ac', 'bd', 'cd', 'de'], undefined],
    ['abcd', ['cd', 'dc', 'ab'], 'cdc'],
    ['', [], undefined],
  ] as const)('the loop among the nodes %s with the links %j is %s', ([ids, pairs, loop]) => {
    expect(findLoop([...ids], links(...pairs))?.join('')).toBe(loop);
  });

  test('a loop of 100,000 nodes is found in less than five seconds of CPU time', () => {
    const chain = (size: number) => {
      const ids = Array.from({ length: size }, (_, index) => `n${index}`);
      const forward = ids.slice(1).map((to, index) => ({ from: `n${index}`, to }));
      return { ids, links: [...forward, { from: `n${size - 1}`, to: 'n0' }] };
    };
    const { ids, links } = chain(100_000);
    expect(cpuMs(() => expect(findLoop(ids, links)).toHaveLength(100_001))).toBeLessThan(5_000);
  });

  test('an endless loop of 4,000 nodes is reported in less than ten seconds of CPU time', () => {
    const nodes = Array.from({ length: 4_000 }, (_, index) => agent(`n${index}`));
    const edges = nodes.map((_, index) => edge(`n${index}`, `n${(index + 1) % 4_000}`));
    const conditionalLoop = [...edges.slice(0, -1), edge('n3999', 'n0', 'again')];
    expect(cpuMs(() => expect(compileManifest(manifest(nodes, conditionalLoop)).compiled).toBeDefined())).toBeLessThan(10_000);
    const { findings } = compileManifest(manifest(nodes, edges));
    expect(findings.map(({ code }) => code)).toEqual(['runtime.endless_loop']);
  });
});

test('ids with line breaks are not confused with each other', () => {
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

test('a layer of 240 nodes waits for all nodes of the previous layer', async () => {
  const width = 240;
  const numbers = Array.from({ length: width }, (_, index) => index);
  const nodes = ['a', 'b'].flatMap((layer) => numbers.map((number) => agent(`${layer}${number}`, layer)));
  const edges = numbers.map((number) => edge(`a${number}`, `b${number}`));
  let running = 0;
  const early: string[] = [];
  const first = async ({ node }: { node: string }) => {
    running++;
    // The last node is the slowest.
    for (let tick = 0; tick < (node === `a${width - 1}` ? 50 : 1); tick++) await new Promise(setImmediate);
    running--;
    return null;
  };
  const second = ({ node }: { node: string }) => {
    if (running > 0) early.push(node);
    return null;
  };
  const result = await runManifest(manifest(nodes, edges), { agents: [defineAgent('a', first), defineAgent('b', second)] });
  expect(result).toMatchObject({ status: 'pass', replayed: undefined });
  expect(early).toEqual([]);
  expect(result.executed.filter((path) => path.startsWith('topology/b'))).toHaveLength(width);
});

test('nodes without a fired edge are skipped, and so are the nodes after them', async () => {
  const nodes = ['a', 'b', 'c', 'd', 'e'].map((id) => agent(id, 'A'));
  const edges = [edge('a', 'b', 'never'), edge('b', 'c'), edge('c', 'd'), edge('a', 'e')];
  const result = await runManifest(manifest(nodes, edges), { agents: [defineAgent('A', () => 'x')] });
  expect(result).toMatchObject({ status: 'pass', skipped: ['topology/b', 'topology/c', 'topology/d'] });
});
