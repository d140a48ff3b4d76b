// The persistent state of a manifest.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineAgent } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { agent, manifest, runManifest } from './runManifest.js';

const agentReturning = (name: string, value: unknown) => defineAgent(name, () => value);
const closeOutput = (run: Awaited<ReturnType<typeof runManifest>>) => run.ends.get('close')?.output as { state: unknown };

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

  test('a persistent state is loaded in the next run, separately for each recipe', async () => {
    await run('../kept', 'persistent');
    expect(closeOutput(await run('../kept', 'persistent')).state).toEqual({ n: 2 });
    expect(closeOutput(await run('other', 'persistent')).state).toEqual({ n: 1 });
    expect(readdirSync(root)).toEqual(['.recipewright']);
  });

  test('an ephemeral state and the state of a failed run are not saved', async () => {
    await run('loose', 'ephemeral');
    expect(closeOutput(await run('loose', 'ephemeral')).state).toEqual({ n: 1 });
    await run('failing', 'persistent');
    expect((await run('failing', 'persistent', [agentReturning('Count', { n: 'x' })])).status).toBe('fail');
    expect(closeOutput(await run('failing', 'persistent')).state).toEqual({ n: 2 });
  });

  test('the state of a run without its required outputs is not saved', async () => {
    const requiredOutputs = { inputs: {}, outputs: { properties: { summary: { type: 'string' } }, required: ['summary'] } };
    const state = { schema: {}, persistence: 'persistent' };
    const broken = manifest([agent('a', 'Count')], [], { id: 'promise', state, interface: requiredOutputs });
    expect((await runManifest(broken, { root, agents: [count] })).status).toBe('fail');
    expect(closeOutput(await run('promise', 'persistent')).state).toEqual({ n: 1 });
  });

  test('a damaged state file makes the run unknown', async () => {
    await run('broken', 'persistent');
    const dir = join(root, '.recipewright/state');
    const file = join(dir, readdirSync(dir).find((name) => name.startsWith('broken')) ?? '');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 10));
    const ran = await run('broken', 'persistent');
    expect(ran.status).toBe('unknown');
    expect(ran.error).toMatch(/^runtime.broken_state: .*broken-.* is not the state of the recipe "broken"/);
  });
});
