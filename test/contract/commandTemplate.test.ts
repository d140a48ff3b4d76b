// The region model supports command-template graphs: pipes, tolerated failures, retry with recover.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DocumentRun, mostInFlight, runDocument } from './documents.js';

const programs = {
  'bytes.mjs': `process.stdout.write(Buffer.concat(Array.from({ length: 1000 }, () => Buffer.from(Array.from({ length: 256 }, (_, i) => i)))));`,
  'reverse.mjs': `const chunks = []; for await (const c of process.stdin) chunks.push(c); process.stdout.write(Buffer.concat(chunks).reverse());`,
  'digest.mjs': `import { createHash } from 'node:crypto'; const h = createHash('sha256'); for await (const c of process.stdin) h.update(c); process.stdout.write(h.digest('hex'));`,
  'meet.mjs': `import { existsSync, writeFileSync } from 'node:fs'; const [, , me, other] = process.argv; writeFileSync(me + '.here', '');
    while (!existsSync(other + '.here')) await new Promise((r) => setTimeout(r, 20)); process.stdout.write(me);`,
  // Ends after the other two have met, so that all three run at the same time.
  'lame.mjs': `import { existsSync } from 'node:fs'; while (!['left', 'right'].every((name) => existsSync(name + '.here'))) await new Promise((r) => setTimeout(r, 20)); process.exit(7);`,
  'flaky.mjs': `import { existsSync } from 'node:fs'; if (!existsSync('repaired-2')) { console.error('still broken'); process.exit(1); } process.stdout.write('works');`,
  'repair.mjs': `import { existsSync, writeFileSync } from 'node:fs'; writeFileSync(existsSync('repaired-1') ? 'repaired-2' : 'repaired-1', '');`,
};

describe('a command-template graph', () => {
  let run: DocumentRun;
  beforeAll(async () => {
    run = await runDocument('commandTemplate.recipe.json', programs);
  });

  test('a command-template graph passes, and its journal replays to the same path', () => {
    expect(run.summary).toMatchObject({ status: 'pass', failed: 0 });
    expect(run.replayed).toBeUndefined();
  });

  test('a command-template graph pipes every byte unchanged from one command to the next', () => {
    const all = Buffer.concat(Array.from({ length: 1000 }, () => Buffer.from(Array.from({ length: 256 }, (_, index) => index))));
    const digest = createHash('sha256').update(all.reverse()).digest('hex');
    expect(run.entry('pipe/digest').output).toMatchObject({ exitCode: 0, stdout: digest });
  });

  test('a command-template graph runs its branches in parallel, and continues after a tolerated failure', () => {
    expect(mostInFlight(run.lines, /^branches\//)).toBe(3);
    expect(run.entry('branches/left').output).toMatchObject({ stdout: 'left' });
    expect(run.entry('branches/right').output).toMatchObject({ stdout: 'right' });
    const lame = run.entry('branches/lame');
    expect(lame).toMatchObject({ ok: true, output: { exitCode: 7 }, tolerated: { cause_class: 'subject' } });
    expect(lame.tolerated?.error).toContain('Command exited with 7');
    expect(lame.error).toBeUndefined();
  });

  test('a command-template graph runs its repair between attempts, and one entry contains all attempts', () => {
    const flaky = run.entry('flaky');
    expect(flaky).toMatchObject({ ok: true, output: { stdout: 'works' } });
    expect(flaky.attempts?.map(({ nodeId, ok }) => [nodeId, ok])).toEqual([
      ['flaky', false],
      ['flaky@1', false],
    ]);
    expect(run.trace.map((entry) => entry.nodeId).slice(-4)).toEqual(['flaky/recover', 'flaky@1/recover', 'flaky', 'done']);
  });
});
