// Manifests with unusual ids, and very large topologies.
import { expect, test } from 'vitest';
import { defineAgent } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { cpuMs } from '../../../support/cpuMs.js';
import { compileManifest, edge, manifest, runManifest } from './runManifest.js';

test.for([
  '__proto__',
  'constructor',
  'prototype',
  'inputs',
  'output',
  'recover',
  '',
  '../../x',
  'a/b[0]#2@1',
  '\u001b[31m',
  '{{x}}',
  '💥',
  'x'.repeat(500),
])('a node and a key of the state may have the name %j', async (name) => {
  const text = JSON.stringify(
    manifest(
      [
        { id: 'ID', type: 'agent', agent_name: 'A' },
        { id: 'b', type: 'agent', agent_name: 'B' },
      ],
      [edge('ID', 'b')],
    ),
  );
  const requests: unknown[] = [];
  const result = await runManifest(text.replaceAll('"ID"', JSON.stringify(name)), {
    agents: [
      defineAgent('A', () => JSON.parse(`{"output": null, "state": {${JSON.stringify(name)}: 1}}`) as object),
      defineAgent('B', ({ state, nodes }) => void requests.push(Object.entries(state), Object.keys(nodes))),
    ],
  });
  expect(result).toMatchObject({ status: 'pass', error: '', replayed: undefined });
  expect(requests).toEqual([[[name, 1]], [name]]);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

test('a topology of 5,000 nodes compiles in less than 20 seconds of CPU time', () => {
  const nodes = Array.from({ length: 5_000 }, (_, index) => ({ id: `n${index}`, type: 'agent', agent_name: 'A' }));
  const edges = nodes.slice(1).map(({ id }, index) => edge(`n${index}`, id, index % 2 ? 'x' : undefined));
  expect(cpuMs(() => void compileManifest(manifest(nodes, edges)))).toBeLessThan(20_000);
  const { compiled } = compileManifest(manifest(nodes, edges));
  expect(compiled?.recipe.nodes.get('topology')?.body?.nodes.size).toBe(5_000);
});

test('a topology of more than 10,000 nodes is refused', () => {
  const nodes = Array.from({ length: 10_001 }, (_, index) => ({ id: `n${index}`, type: 'human' }));
  const { compiled, findings } = compileManifest(manifest(nodes));
  expect(compiled).toBeUndefined();
  expect(findings).toMatchObject([{ code: 'runtime.too_large', severity: 'error', path: '/topology/nodes' }]);
});
