// Full disks, read-only disks and directories of other users: no file is incomplete, and no run passes.
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readJournal } from '../../src/evidence/journal.js';
import { listTree } from '../../src/system/files/listTree.js';
import { runProcess } from '../../src/system/processes/runProcess.js';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { timeoutMs } from '../property/runCount.js';
import { cliProject } from '../support/cli.js';
import { recipeOf } from '../support/plain.js';
import { canMount, smallDisk } from './mounts.js';

const program = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const timeout = timeoutMs;
const command = (cmd: string, next: string): Record<string, unknown> => ({ action: 'command', cmd, next });
const small = recipeOf({ first: command('echo one', 'done') });

/** A recipe with about 370 kB of journal, a log of 200 kB, and a trace as long as the journal. */
const large = recipeOf({
  ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`n${at}`, command('seq 1 6000', at < 11 ? `n${at + 1}` : 'log')])),
  log: command('seq 1 36000', 'done'),
});

/** Runs a shell command, in which `$run` is the command line of a run. */
async function sh(text: string, cwd: string): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH ?? '', run: `${process.execPath} ${program} run --recipe a.recipe.json --artifacts-dir` };
  const { signal } = new AbortController();
  const { exitCode, stdout, stderr } = await runProcess({ command: text, cwd, env, signal, tag: `disk-${process.pid}/sh` });
  return { exitCode, stdout: stdout.bytes.toString(), stderr: stderr.bytes.toString() };
}

describe.skipIf(!canMount)('a full disk (skipped where nothing can be mounted)', () => {
  const sizes = ['4k', '48k', '68k', '72k', '120k', '300k', '500k', '700k', '800k', '1000k'];
  test.for(sizes)(
    'F28 a run on a full disk of %s exits with 3, its summary names the cause, and every file is complete',
    { timeout },
    async (size) => {
      const { run } = cliProject({ 'a.recipe.json': large });
      const out = join(smallDisk(size), 'out');
      const { exitCode, stderr } = await run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', out, '--json');
      expect(exitCode).toBe(3);
      if (!existsSync(out)) {
        expect(stderr).toContain(`The artifacts directory ${out} cannot be used: the disk is full (ENOSPC).`);
        expect(stderr).toContain('Free some space, or choose a directory on another disk.');
        expect(stderr).not.toContain('RUN 1/');
        return;
      }
      const names = listTree(out).map(({ path }) => path);
      expect(names.filter((name) => /partial|reserve/.test(name))).toEqual([]);
      for (const name of names.filter((path) => path.endsWith('.json'))) JSON.parse(readFileSync(join(out, name), 'utf8'));
      const summary = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
      expect(summary).toMatchObject({ status: 'unknown', cause_class: 'environment' });
      expect(summary.reason).toContain('the disk is full');
      expect(readJournal(readFileSync(join(out, 'journal.jsonl'), 'utf8').trimEnd().split('\n')).problem).toBeUndefined();
    },
  );

  test('F28 a disk can become full while a run writes its journal, its artifacts or its package, and a larger disk passes', {
    timeout,
  }, async () => {
    const reasons: string[] = [];
    for (const size of ['68k', '600k', '1000k', '1500k']) {
      const { run } = cliProject({ 'a.recipe.json': large });
      const { stdout } = await run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', join(smallDisk(size), 'out'), '--json');
      reasons.push(JSON.parse(stdout).reason.replace(/ in .*? could| to .*?:|\/\S+ could/g, ' …'));
    }
    expect(reasons).toMatchInlineSnapshot(`
      [
        "The journal … not be written: the disk is full (ENOSPC). The run was stopped. Free some space, or choose a directory on another disk.",
        "log: The evidence could not be saved:  … not be written: the disk is full (ENOSPC). Free some space, or choose a directory on another disk.",
        "The evidence package could not be written … the disk is full (ENOSPC). Free some space, or choose a directory on another disk.",
        "the recipe passed",
      ]
    `);
  });
});

test.skipIf(!canMount)(
  'F28 a run stops when its journal cannot be written (skipped where nothing can be mounted)',
  { timeout },
  async () => {
    const disk = smallDisk('200k');
    const mark = { action: 'command', intent: 'Leave a mark in the project', cmd: 'touch ran' };
    const nodes = {
      fill: command(`head -c 1000000 /dev/zero > ${disk}/filler; seq 1 2000`, 'mark'),
      mark: { ...mark, next: 'done' },
    };
    const { dir, run } = cliProject({ 'a.recipe.json': recipeOf(nodes, { workflow: { teardown: [mark] } }) });
    const { exitCode, stdout } = await run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', join(disk, 'out'), '--json');
    expect([exitCode, existsSync(join(dir, 'ran'))]).toEqual([3, false]);
    const { summary } = JSON.parse(stdout);
    expect(summary).toMatchObject({ status: 'unknown', cause_class: 'environment', interruptedAt: ['fill'], total: 1 });
    expect(summary.reason).toMatch(/^The journal in .* could not be written: the disk is full/);
    expect(verifyPackage(join(disk, 'out'))).toMatchObject({ status: 'verified', verdict: 'unknown' });
  },
);

test.skipIf(!canMount)(
  'F28 a run stops its parallel nodes when its journal cannot be written (skipped where nothing can be mounted)',
  { timeout },
  async () => {
    const disk = smallDisk('200k');
    const intent = 'Do something beside the others';
    const fill = { action: 'command', intent, cmd: `head -c 1000000 /dev/zero > ${disk}/filler; seq 1 2000` };
    const nap = { action: 'command', intent, cmd: 'sleep 3600; touch ran' };
    const group = { action: 'rw.group', order: 'together', body: { nodes: { fill, nap } }, next: 'done' };
    const { dir, run } = cliProject({ 'a.recipe.json': recipeOf({ group }) });
    const { exitCode, stderr } = await run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', join(disk, 'out'));
    expect([exitCode, existsSync(join(dir, 'ran')), stderr.includes('bug of its own')]).toEqual([3, false, false]);
  },
);

test('F28 the exit code is 3 when the JSON output cannot be written to /dev/full', async () => {
  const { dir } = cliProject({ 'a.recipe.json': small });
  const { exitCode, stderr } = await sh('$run out --json > /dev/full', dir);
  expect(exitCode).toBe(3);
  expect(stderr).toContain('ENOSPC');
});

describe('a directory that cannot be written to', () => {
  const refused = async (text: string, { dir, path }: { dir: string; path: string }): Promise<string> => {
    const { exitCode, stdout, stderr } = await sh(text, dir);
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).not.toContain('RUN 1/');
    expect(existsSync(join(dir, 'ran'))).toBe(false);
    expect(stderr).toContain(`The artifacts directory ${path} cannot be used: `);
    expect(stderr).toContain('Choose a new directory that this user');
    return stderr;
  };
  const marking = recipeOf({ first: command('touch ran', 'done') });

  test.skipIf(!canMount)('F29 a read-only artifacts directory is refused (skipped where nothing can be mounted)', async () => {
    const { dir } = cliProject({ 'a.recipe.json': marking });
    mkdirSync(join(dir, 'ro'));
    const readOnly = 'mount --bind ro ro && mount -o remount,ro,bind ro';
    const inside = join(dir, 'ro/out');
    const runInside = `unshare -m sh -c '${readOnly} && exec $run ro/out'`;
    expect(await refused(runInside, { dir, path: inside })).toContain('read-only (EROFS)');
    const itself = join(dir, 'ro');
    expect(await refused(`unshare -m sh -c '${readOnly} && exec $run ro'`, { dir, path: itself })).toContain('(EROFS)');
  });

  test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
    'F29 an artifacts directory of another user is refused (skipped without root on Linux)',
    async () => {
      const { dir } = cliProject({ 'a.recipe.json': marking });
      chmodSync(dir, 0o755);
      mkdirSync(join(dir, 'empty'));
      for (const path of [dir, join(dir, 'empty')]) chownSync(path, 65_534, 65_534);
      // Runs as root without the capability to write everywhere, because another user might not be able to read the program.
      const powerless = 'setpriv --inh-caps=-dac_override --bounding-set=-dac_override $run';
      expect(await refused(`${powerless} out`, { dir, path: join(dir, 'out') })).toContain('may not write there (EACCES)');
      expect(await refused(`${powerless} empty`, { dir, path: join(dir, 'empty') })).toContain('this user (uid 0) can write');
      expect(existsSync(join(dir, 'empty'))).toBe(true);
    },
  );

  test('F29 a file, a device or a dangling link as the artifacts directory is refused', async () => {
    const { dir } = cliProject({ 'a.recipe.json': marking, taken: 'a file' });
    symlinkSync('nowhere', join(dir, 'link'));
    for (const name of ['taken', 'taken/out', 'link']) await refused(`$run ${name}`, { dir, path: join(dir, name) });
    await refused('$run /dev/full', { dir, path: '/dev/full' });
    expect(readFileSync(join(dir, 'taken'), 'utf8')).toBe('a file');
  });
});
