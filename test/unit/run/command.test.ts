// The command action with real processes.
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { command } from '../../../src/actions/core/command.js';
import { RecipeError } from '../../../src/evidence/recipeError.js';
import type { Clock } from '../../../src/system/clock.js';
import { eventDrivenMs, whenReady } from '../../support/eventDrivenClock.js';
import { recipeOf, runPlain } from '../../support/plain.js';
import { running } from '../../support/processProbe.js';

const run = (node: object, files?: Record<string, string>, clock?: Clock) =>
  runPlain(recipeOf({ first: { action: 'command', next: 'done', ...node } }), files, clock);

describe('a command', () => {
  test('the output of a command has its exit code, stdout and stderr', async () => {
    const { trace } = await run({ cmd: 'echo out; echo err >&2' });
    expect(trace[0]?.output).toEqual({ exitCode: 0, stdout: 'out\n', stderr: 'err\n' });
  });

  test('a command that exits with another code than 0 fails, and the trace has its output', async () => {
    const { trace, summary } = await run({ cmd: 'echo half; echo why >&2; exit 7' });
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
    expect(trace[0]).toMatchObject({
      ok: false,
      output: { exitCode: 7, stdout: 'half\n' },
      error: expect.stringContaining('why'),
    });
  });

  test('a command with allow_failure passes with any exit code', async () => {
    const { trace } = await run({ cmd: 'exit 7', allow_failure: true });
    expect(trace[0]).toMatchObject({ ok: true, output: { exitCode: 7 } });
  });

  test('a command that a signal ended fails even with allow_failure', async () => {
    const { summary, trace } = await run({ cmd: 'kill -9 $$', allow_failure: true });
    expect(summary.status).toBe('fail');
    expect(trace[0]?.error).toContain('SIGKILL');
  });

  test('a command that cannot be started is a fault of the environment', async () => {
    const { summary } = await run({ argv: ['no-such-program-anywhere'] });
    expect(summary).toMatchObject({ status: 'unknown', cause_class: 'environment' });
  });

  test.skipIf(process.platform !== 'linux')(
    'a command is killed after its timeout with every process that it started',
    async () => {
      const tag = `sleep ${3_600 + Math.random()}`;
      const { clock, ready } = whenReady();
      const cmd = `echo begun; (${tag} & touch ${ready}; wait) & wait`;
      const { summary, trace } = await run({ cmd, timeout_ms: eventDrivenMs }, {}, clock);
      expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
      expect(trace[0]).toMatchObject({
        ok: false,
        error: expect.stringContaining(`did not finish within ${eventDrivenMs} ms`),
        output: { stdout: 'begun\n' },
      });
      expect(running(tag)).toEqual([]);
    },
  );

  test('a command sees only the default and the declared environment variables', async () => {
    process.env.RECIPEWRIGHT_TEST_SECRET = 'hunter2';
    const { trace } = await run({ cmd: 'env', env: { DECLARED: 'yes' } });
    delete process.env.RECIPEWRIGHT_TEST_SECRET;
    const names = ((trace[0]?.output ?? { stdout: '' }) as { stdout: string }).stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0] ?? '');
    const allowed = ['PATH', 'HOME', 'LANG', 'TZ', 'CI', 'DECLARED', 'PWD', 'SHLVL', '_', 'OLDPWD', 'RECIPEWRIGHT_RUN'];
    expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
    expect(names).toContain('DECLARED');
  });

  test('a command receives its stdin unchanged', async () => {
    expect((await run({ argv: ['cat'], stdin: 'a\u0000é' })).trace[0]?.output).toMatchObject({ stdout: 'a\u0000é' });
  });

  test.for(['../..', '/', 'sub/../..', 'C:\\'])('a command with "cwd" %s outside the project fails', async (cwd) => {
    const { trace } = await run({ cmd: 'pwd', cwd }, { 'sub/file': '' });
    expect(trace[0]).toMatchObject({ ok: false, error: expect.stringContaining('is outside the project') });
  });

  test('a command fails when its "cwd" is a link out of the project', async () => {
    const nodes = {
      first: { action: 'command', cmd: `ln -s ${tmpdir()} away; ln -s sub in`, next: 'inside' },
      inside: { action: 'command', cmd: 'cat file', cwd: 'in', next: 'leave' },
      leave: { action: 'command', cmd: 'pwd', cwd: 'away', next: 'done' },
    };
    const { trace } = await runPlain(recipeOf(nodes), { 'sub/file': 'seen' });
    expect(trace[1]).toMatchObject({ ok: true, output: { stdout: 'seen' } });
    expect(trace[2]).toMatchObject({ ok: false, error: expect.stringContaining('"away" in "cwd" is outside the project') });
    expect(trace[2]?.output).toBeUndefined();
  });

  test.for([
    ['missing', 'does not exist'],
    ['a.recipe.json', 'is not a directory'],
  ])('the error of a command with "cwd" %s says that it %s', async ([cwd, problem = '']) => {
    const { trace, summary } = await run({ argv: ['pwd'], cwd });
    expect(trace[0]?.error).toContain(`The directory "${cwd}" in "cwd" ${problem} in the project`);
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  });

  test('a command with "cwd" "." runs in the project root', async () => {
    expect((await run({ argv: ['cat', 'left'], cwd: '.' }, { left: 'here' })).trace[0]?.output).toMatchObject({ stdout: 'here' });
  });

  test('values reach a command as literal strings also when its field is spelled "command"', async () => {
    const inputs = { word: '$(touch leaked); "x"' };
    const recipe = recipeOf({ first: { action: 'command', command: 'printf %s {{inputs.word}}', next: 'done' } }, { inputs });
    const { trace, read } = await runPlain(recipe);
    expect(trace[0]).toMatchObject({ ok: true, output: { stdout: inputs.word } });
    expect(read('leaked')).toBeUndefined();
  });

  test.for([[{ cmd: 'true', command: 'true' }], [{ command: 'true', argv: ['true'] }], [{ cmd: 'true', argv: ['true'] }]])(
    'a node with two command fields is refused: %j',
    async ([node = {}]) => {
      await expect(run(node)).rejects.toThrow('only one of "cmd", "command" and "argv"');
    },
  );

  test('a command without "cmd" and "argv" is refused', async () => {
    await expect(run({ cwd: '.' })).rejects.toThrow('"cmd" or "argv"');
  });

  test('a command that exits with 0 after its timeout fails, and the trace has its last output', async () => {
    const { clock, ready } = whenReady();
    const cmd = `trap "echo bye; exit 0" TERM; echo begun; touch ${ready}; while :; do sleep 0.05; done`;
    const { trace, summary } = await run({ cmd, timeout_ms: eventDrivenMs, allow_failure: true }, {}, clock);
    expect(summary.status).toBe('fail');
    expect(trace[0]).toMatchObject({ ok: false, output: { exitCode: 0, stdout: 'begun\nbye\n' } });
  });

  test('the trace has the whole output of a command that prints 64 kB', async () => {
    const { trace } = await run({ cmd: 'head -c 64000 /dev/zero | tr "\\0" x' });
    expect(trace[0]?.output).toEqual({ exitCode: 0, stdout: 'x'.repeat(64_000), stderr: '' });
    expect(trace[0]?.artifacts).toBeUndefined();
  });

  test('the trace has the beginning and the end of a very long output', async () => {
    const { trace } = await run({ cmd: 'echo HEAD; head -c 30000000 /dev/zero | tr "\\0" x; echo TAIL', timeout_ms: 600_000 });
    const { stdout = '', wasTruncated } = (trace[0]?.output ?? {}) as { stdout?: string; wasTruncated?: boolean };
    expect(wasTruncated).toBe(true);
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(64_000);
    expect([stdout.slice(0, 5), stdout.slice(-5)]).toEqual(['HEAD\n', 'TAIL\n']);
    const [, leftOut] = /\n… (\d+) bytes left out …\n/.exec(stdout) ?? [];
    expect(Number(leftOut)).toBe(30_000_010 - stdout.replace(/\n….*…\n/, '').length);
  });
});

describe('the result of a command', () => {
  const perform = (fields: object, rest: object = {}) => {
    const context = {
      ...{ signal: new AbortController().signal, projectRoot: tmpdir(), runId: 'unit', path: 'a/b[1]' },
      passEnv: [],
    };
    return command.run(fields, { ...context, node: { id: 'b', proofTarget: 'AC1' }, ...rest } as never);
  };

  test('the streams of a command have up to 10 MB each, and its log files up to 10 MB together', async () => {
    const flood = (to: string) => `head -c 12000000 /dev/zero ${to}`;
    const { streams, artifacts = [] } = await perform({ cmd: `${flood('')}; ${flood('>&2')}` });
    expect(streams?.stdout).toMatchObject({ size: 12_000_000, wasTruncated: true });
    expect(streams?.stdout.bytes.length).toBeGreaterThan(9_999_900);
    expect(artifacts.map(({ path, type }) => [path, type])).toEqual([
      ['logs/a-b-1-.stdout.log', 'log'],
      ['logs/a-b-1-.stderr.log', 'log'],
    ]);
    expect(artifacts.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThanOrEqual(10_000_000);
    expect(artifacts.map(({ proofTarget }) => proofTarget)).toEqual([undefined, undefined]);
  });

  test('a command with one long stream has one complete log file', async () => {
    const { streams, artifacts = [] } = await perform({ cmd: 'head -c 300000 /dev/zero; echo short >&2' });
    expect(artifacts).toHaveLength(1);
    expect(Buffer.from(artifacts[0]?.body ?? []).equals(streams?.stdout.bytes ?? Buffer.of())).toBe(true);
  });

  test('a command sees the environment variables in passEnv of the project', async () => {
    process.env.RECIPEWRIGHT_TEST_PASSED = 'on';
    onTestFinished(() => void delete process.env.RECIPEWRIGHT_TEST_PASSED);
    const { output } = await perform(
      { argv: ['printenv', 'RECIPEWRIGHT_TEST_PASSED', 'RECIPEWRIGHT_RUN'] },
      { passEnv: ['RECIPEWRIGHT_TEST_PASSED', 'NOT_SET_ANYWHERE'] },
    );
    expect(output).toMatchObject({ exitCode: 0, stdout: 'on\nunit/a/b[1]\n' });
  });

  test('the error of a command names the missing program', async () => {
    const { failure } = await perform({ argv: ['no-such-program'] });
    expect(failure).toBeInstanceOf(RecipeError);
    expect(failure).toMatchObject({ code: 'command.not_started', kind: 'environment' });
    expect(failure?.message).toContain('there is no program "no-such-program"');
  });
});
