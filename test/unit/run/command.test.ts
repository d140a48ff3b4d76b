// The command action with real processes.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { recipeOf, runPlain } from '../../support/plain.js';

const run = (node: object) => runPlain(recipeOf({ first: { action: 'command', next: 'done', ...node } }));

describe('a command', () => {
  test('gives exit code, stdout and stderr', async () => {
    const { trace } = await run({ cmd: 'echo out; echo err >&2' });
    expect(trace[0]?.output).toEqual({ exitCode: 0, stdout: 'out\n', stderr: 'err\n' });
  });

  test('that exits with a number other than 0 fails, with its output on record', async () => {
    const { trace, summary } = await run({ cmd: 'echo half; echo why >&2; exit 7' });
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
    expect(trace[0]).toMatchObject({
      ok: false,
      output: { exitCode: 7, stdout: 'half\n' },
      error: expect.stringContaining('why'),
    });
  });

  test('may fail where the author allows it', async () => {
    const { trace } = await run({ cmd: 'exit 7', allow_failure: true });
    expect(trace[0]).toMatchObject({ ok: true, output: { exitCode: 7 } });
  });

  test('that was signalled never passes, even where failure is allowed', async () => {
    const { summary, trace } = await run({ cmd: 'kill -9 $$', allow_failure: true });
    expect(summary.status).toBe('fail');
    expect(trace[0]?.error).toContain('SIGKILL');
  });

  test('that cannot be started is trouble of the environment', async () => {
    const { summary } = await run({ argv: ['no-such-program-anywhere'] });
    expect(summary).toMatchObject({ status: 'unknown', cause_class: 'environment' });
  });

  test.skipIf(process.platform !== 'linux')('past its timeout is killed with everything it started', async () => {
    const tag = `sleep ${60 + Math.random()}`;
    const { summary, trace } = await run({ cmd: `echo begun; (${tag} & wait) & wait`, timeout_ms: 300 });
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
    expect(trace[0]).toMatchObject({
      ok: false,
      error: expect.stringContaining('did not finish within 300 ms'),
      output: { stdout: 'begun\n' },
    });
    expect(running(tag)).toEqual([]);
  });

  test('sees only the environment it may see', async () => {
    process.env.RECIPEWRIGHT_TEST_SECRET = 'hunter2';
    const { trace } = await run({ cmd: 'env', env: { DECLARED: 'yes' } });
    delete process.env.RECIPEWRIGHT_TEST_SECRET;
    const names = ((trace[0]?.output ?? { stdout: '' }) as { stdout: string }).stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0] ?? '');
    const allowed = ['PATH', 'HOME', 'LANG', 'TZ', 'CI', 'DECLARED', 'PWD', 'SHLVL', '_', 'OLDPWD'];
    expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
    expect(names).toContain('DECLARED');
  });

  test('gets stdin as it is written', async () => {
    expect((await run({ argv: ['cat'], stdin: 'a\u0000é' })).trace[0]?.output).toMatchObject({ stdout: 'a\u0000é' });
  });

  test('cannot leave the project', async () => {
    const { trace } = await run({ cmd: 'pwd', cwd: '../..' });
    expect(trace[0]).toMatchObject({ ok: false, error: expect.stringContaining('outside of the project') });
  });

  test('that floods its output is cut, with the head and the tail kept', async () => {
    const { trace } = await run({ cmd: 'echo HEAD; head -c 30000000 /dev/zero | tr "\\\\0" x; echo TAIL', timeout_ms: 20_000 });
    const { stdout = '', wasTruncated } = (trace[0]?.output ?? {}) as { stdout?: string; wasTruncated?: boolean };
    expect(wasTruncated).toBe(true);
    expect(stdout.length).toBeLessThanOrEqual(10_000_000);
    expect([stdout.slice(0, 5), stdout.slice(-5)]).toEqual(['HEAD\n', 'TAIL\n']);
  });
});

/** Processes with this text in their command line that still run; a zombie does not. */
function running(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const state = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
      return (
        /^\d+$/.test(pid) && state !== 'Z' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text)
      );
    } catch {
      // ENOENT: it ended while we looked.
      return false;
    }
  });
}
