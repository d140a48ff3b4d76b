import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineAgent } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { agent, manifest, runManifest } from './runManifest.js';

const give = (name: string, value: unknown) => defineAgent(name, () => value);
const closed = (ran: Awaited<ReturnType<typeof runManifest>>) => ran.ends.get('close')?.output as { state: unknown };

describe('persistence', () => {
  let root = '';
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const count = defineAgent('Count', ({ state }) => ({ n: Number(state.n ?? 0) + 1 }));
  const run = (id: string, persistence: string, agents = [count]) =>
    runManifest(
      manifest([agent('a', 'Count')], [], { id, state: { schema: { properties: { n: { type: 'number' } } }, persistence } }),
      { root, agents },
    );

  test('keeps the state of one run for the next, of each recipe by itself', async () => {
    await run('../kept', 'persistent');
    expect(closed(await run('../kept', 'persistent')).state).toEqual({ n: 2 });
    expect(closed(await run('other', 'persistent')).state).toEqual({ n: 1 });
    expect(readdirSync(root)).toEqual(['.recipewright']);
  });

  test('does not keep what is ephemeral, nor the state of a run that failed', async () => {
    await run('loose', 'ephemeral');
    expect(closed(await run('loose', 'ephemeral')).state).toEqual({ n: 1 });
    await run('failing', 'persistent');
    expect((await run('failing', 'persistent', [give('Count', { n: 'x' })])).status).toBe('fail');
    expect(closed(await run('failing', 'persistent')).state).toEqual({ n: 2 });
  });

  test('does not keep the state of a run that broke its promise', async () => {
    const promise = { inputs: {}, outputs: { properties: { summary: { type: 'string' } }, required: ['summary'] } };
    const state = { schema: {}, persistence: 'persistent' };
    const broken = manifest([agent('a', 'Count')], [], { id: 'promise', state, interface: promise });
    expect((await runManifest(broken, { root, agents: [count] })).status).toBe('fail');
    expect(closed(await run('promise', 'persistent')).state).toEqual({ n: 1 });
  });

  test('refuses a file that is not what a run left', async () => {
    await run('broken', 'persistent');
    const dir = join(root, '.recipewright/state');
    const file = join(dir, readdirSync(dir).find((name) => name.startsWith('broken')) ?? '');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 10));
    const ran = await run('broken', 'persistent');
    expect(ran.status).toBe('unknown');
    expect(ran.error).toMatch(/^runtime.broken_state: .*broken-.* is not the state of the recipe "broken"/);
  });
});
