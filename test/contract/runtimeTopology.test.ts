// The region model supports runtime topologies: fan-out, any-edge join, conditions, skipped branches, loops, maps.
import { beforeAll, describe, expect, test } from 'vitest';
import { type DocumentRun, mostInFlight, runDocument } from './documents.js';

const programs = {
  'draft.mjs': `import { appendFileSync, readFileSync } from 'node:fs'; appendFileSync('drafts', 'x'); process.stdout.write('draft ' + readFileSync('drafts').length);`,
  'translate.mjs': `let text = ''; for await (const chunk of process.stdin) text += chunk; await new Promise((r) => setTimeout(r, text === 'en' ? 400 : 100)); process.stdout.write('in ' + text);`,
};

describe('a runtime topology', () => {
  let run: DocumentRun;
  beforeAll(async () => {
    run = await runDocument('runtimeTopology.recipe.json', programs);
  });

  test('a runtime topology passes, and its journal replays to the same path', () => {
    expect(run.summary).toMatchObject({ status: 'pass', failed: 0 });
    expect(run.replayed).toBeUndefined();
  });

  test('a runtime topology fans out, and joins when one of two edges fired', () => {
    expect(mostInFlight(run.lines, /^topology\/(web|archive)$/)).toBe(2);
    expect(run.entry('topology/join')).toMatchObject({ ok: true, output: { exitCode: 0 } });
  });

  test('a runtime topology skips a branch whose condition is false and the nodes after it, and records the reason', () => {
    for (const id of ['topology/apology', 'topology/refund']) {
      expect(run.entry(id)).toMatchObject({ ok: true, output: { skipped: true, reason: 'no edge to it fired' } });
    }
  });

  test('a runtime topology repeats a loop until its condition ends it, and each visit has its own name', () => {
    const loop = run.trace.map((entry) => entry.nodeId).filter((id) => /draft|review/.test(id));
    expect(loop).toEqual([
      'topology/draft',
      'topology/review',
      'topology/draft#2',
      'topology/review#2',
      'topology/draft#3',
      'topology/review#3',
    ]);
  });

  test('a runtime topology runs a map two items at a time, with results in the order of the items', () => {
    expect(mostInFlight(run.lines, /^topology\/translate(#\d+)?\//)).toBe(2);
    const map = run.trace.find(
      (entry) => entry.action === 'rw.each' && entry.output && !(entry.output as { skipped?: true }).skipped,
    );
    const items = (map?.output as { items: { stdout: string }[] } | undefined)?.items;
    expect(items?.map((item) => item.stdout)).toEqual(['in en', 'in de', 'in fr', 'in it', 'in pl']);
  });
});
