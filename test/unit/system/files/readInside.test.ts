// readInside reads a file only inside a directory, even if links are moved meanwhile.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readInside } from '../../../../src/system/files/readInside.js';
import { folder } from '../../../faults/mounts.js';
import { swapWithLink } from '../../../faults/swapWithLink.js';
import { runCount, timeoutMs } from '../../../property/runCount.js';

type Place = { root: string; project: string; elsewhere: string };

function place(): Place {
  const root = folder();
  const [project, elsewhere] = [join(root, 'project'), join(root, 'elsewhere')];
  mkdirSync(join(project, 'logs'), { recursive: true });
  mkdirSync(elsewhere);
  writeFileSync(join(project, 'logs/a'), 'inside');
  writeFileSync(join(elsewhere, 'a'), 'outside');
  return { root, project, elsewhere };
}

test('readInside reads a file inside the directory, also through a link that stays inside', () => {
  const { root, project } = place();
  symlinkSync('logs', join(project, 'link'));
  symlinkSync('project', join(root, 'alias'));
  for (const [from, name] of [
    [project, 'logs/a'],
    [project, 'link/a'],
    [join(root, 'alias'), 'logs/a'],
  ] as const)
    expect(readInside(from, join(from, name), 100)).toEqual({ bytes: Buffer.from('inside') });
});

test('readInside distinguishes links to the outside, missing files, large files and other kinds', async () => {
  const { project } = place();
  symlinkSync('../elsewhere', join(project, 'link'));
  symlinkSync('nowhere', join(project, 'dangling'));
  symlinkSync('../elsewhere/a', join(project, 'file'));
  const server = createServer().listen(join(project, 'socket'));
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const read = (name: string): unknown => readInside(project, join(project, name), 5);
  expect(['link/a', 'file', 'link', 'dangling', 'none', 'logs/a/b', 'logs/a', 'logs', 'socket', 'a\0'].map(read)).toEqual([
    ...[{ outside: true }, { outside: true }, { outside: true }, { missing: 'nowhere' }, { missing: '' }, { missing: '' }],
    ...[{ size: 6 }, { kind: 'a directory' }, { kind: 'a socket' }, { code: 'ERR_INVALID_ARG_VALUE' }],
  ]);
});

test.skipIf(process.platform !== 'linux')(
  'F21 a link that replaces a folder while a file is read exposes no byte (skipped where a handle has no path)',
  { timeout: timeoutMs },
  async () => {
    const { root, project, elsewhere } = place();
    await swapWithLink({ dir: join(project, 'logs'), link: elsewhere, aside: join(project, 'aside-') });
    const outcomes = new Map<string, number>();
    const races = runCount(1_000).numRuns ?? 1_000;
    for (let race = 0; race < races || !(outcomes.has('inside') && outcomes.has('led out')); race++) {
      const read = readInside(project, join(root, 'project/logs/a'), 100);
      const outcome = 'bytes' in read ? read.bytes.toString() : 'outside' in read ? 'led out' : 'missing';
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()].filter((said) => !['inside', 'led out', 'missing'].includes(said))).toEqual([]);
  },
);
