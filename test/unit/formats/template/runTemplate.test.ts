// Runs of templates in default mode, which are stricter and safer than in the reference implementation.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadTemplateRecipe } from '../../../../src/formats/template/files/loadTemplateRecipe.js';
import { runTemplate } from '../../../../src/hosts/plain/runTemplate.js';
import { scriptedExec } from './goldens.js';

describe('a run of a template', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  });
  afterAll(() => rmSync(dir, { recursive: true }));
  const run = (template: unknown, values = {}, more = {}) => runTemplate(template, values, { cwd: dir, ...more });
  const runInBothModes = async (template: unknown) => {
    return { strict: (await run(template)).ok, compat: (await run(template, {}, { compat: true })).ok };
  };

  test('a sequence fails when a step fails, and lists the failed steps', async () => {
    expect(await runInBothModes(['true', 'false'])).toEqual({ strict: false, compat: true });
    const ended = await run(['false', 'echo next', 'sh -c "exit 3"']);
    expect(ended.failed.map(({ argv, code }) => [argv[0], code])).toEqual([
      ['false', 1],
      ['sh', 3],
    ]);
    expect(ended.calls.length).toBe(3);
    expect(ended.reference).toEqual({ ok: true });
    expect(ended.error).toContain("sh -c 'exit 3': exit code 3");
  });

  test('a sequence continues after a step with "failure": "continue"', async () => {
    expect(await runInBothModes([{ failure: 'continue', template: 'false' }, 'true'])).toEqual({ strict: true, compat: true });
    expect((await run({ failure: 'continue', template: [{ template: ['false'] }, 'true'] })).ok).toBe(true);
  });

  test('a run fails when a signal ends a command', async () => {
    expect(await runInBothModes('sh -c "echo hi; kill -9 $$"')).toEqual({ strict: false, compat: true });
  });

  test('a run fails when a command exits with 0 after its time limit', async () => {
    const ended = await run({ timeout: 150, template: `sh -c 'trap "exit 0" TERM; sleep 3600 & wait'` });
    expect(ended).toMatchObject({ ok: false, failed: [{ killed: true, reason: 'stopped: time limit of 150 ms exceeded' }] });
  });

  test('the time limit of a command also kills its child processes', async () => {
    const ended = await run({ timeout: 150, template: "sh -c 'sleep 3600 & sleep 3600; touch late'" });
    expect(ended.ok).toBe(false);
    expect(existsSync(join(dir, 'late'))).toBe(false);
  });

  test('a run ends processes that a command left running, and fails', async () => {
    const ended = await run("sh -c 'sleep 60 >/dev/null 2>&1 & echo started'");
    expect(ended.left).toEqual([expect.stringContaining('sleep')]);
    expect(ended.ok).toBe(false);
  });

  test('a run starts no command after an abort', async () => {
    const stop = new AbortController();
    const running = run(['sleep 3600', 'touch after-abort', 'echo end'], {}, { signal: stop.signal });
    setImmediate(() => stop.abort('enough'));
    const ended = await running;
    expect(ended.ok).toBe(false);
    expect(ended.calls.length).toBeLessThanOrEqual(1);
    expect(existsSync(join(dir, 'after-abort'))).toBe(false);
  });

  test('a missing value is reported before the first command starts', async () => {
    const ended = await run(['touch early', { failure: 'continue', template: 'echo {nope}' }]);
    expect(ended).toMatchObject({
      ok: false,
      error: 'Missing command template value: nope',
      errorCode: 'template.missing_value',
      calls: [],
    });
    expect(existsSync(join(dir, 'early'))).toBe(false);
  });

  test('a value that does not match its declared type is reported before the first command starts', async () => {
    const ended = await run({ args: ['n:int'], template: ['touch typed', 'echo {n}'] }, { n: 'abc' });
    expect(ended).toMatchObject({ ok: false, error: 'Argument n must be an integer.', calls: [] });
  });

  test('a caller cannot override values that a recipe sets for its import', async () => {
    writeFileSync(join(dir, 'review.json'), '{ "template": "echo {scope}" }');
    const steps = ['README.md', 'docs', '{scope}'].map((scope) => ({ name: 'review', values: { scope } }));
    writeFileSync(join(dir, 'all.json'), JSON.stringify({ imports: { review: './review.json' }, template: steps }));
    const { recipe } = loadTemplateRecipe(join(dir, 'all.json'));
    const ended = await run(recipe?.template, { scope: 'CALL' });
    expect(ended.calls.map(({ argv }) => argv[1])).toEqual(['README.md', 'docs', 'CALL']);
  });

  test('the fields of a node apply when its template is another node', async () => {
    const exec = scriptedExec({ a: { code: 2 } });
    const stopped = await run({ failure: 'branch', template: { template: ['a', 'b'] } }, {}, { exec });
    expect(stopped.calls.map(({ argv }) => argv[0])).toEqual(['a']);
    const flaky = scriptedExec({ a: [{ code: 1 }, { code: 1 }, {}] });
    const retried = await run({ retry: 3, template: { template: 'a' } }, {}, { exec: flaky });
    expect(retried).toMatchObject({ ok: true, calls: [{}, {}, {}] });
    const parallel = await run({ parallel: true, template: { template: ['a', 'b'] } }, {}, { exec: scriptedExec() });
    expect(parallel.text).toContain('--- branch: branch 2 status: done ---');
  });

  test('the conditions "true" and "false" are booleans, and an invalid condition is refused', async () => {
    const exec = scriptedExec();
    const result = await run(
      [
        { when: 'true', template: 'a' },
        { when: 'false', template: 'b' },
      ],
      {},
      { exec },
    );
    expect(result.calls.map(({ argv }) => argv[0])).toEqual(['a']);
    expect((await run({ when: 'x == 1', template: 'a' }, {}, { exec })).errorCode).toBe('template.invalid_when');
  });

  test('a sequence pipes every byte unchanged', async () => {
    const bytes = `node -e 'process.stdout.write(Buffer.from([0xff,0xfe,0x00,0x41,0xc3]))'`;
    expect((await run([bytes, 'od -An -tx1'])).text).toBe('\n ff fe 00 41 c3');
  });

  test('a command fails when its output is too long for the pipe to the next step', async () => {
    const ended = await run([`node -e 'process.stdout.write("x".repeat(11e6))'`, 'wc -c']);
    expect(ended.ok).toBe(false);
    expect(ended.failed[0]?.reason).toContain('11000000 bytes');
  });

  test('a repetition reads the items of a default list', async () => {
    const exec = scriptedExec();
    const listed = { defaults: { p: ['x', 'y'], q: '{p}' }, repeat: '{q.length}', template: 'a {q[index]} {p}' };
    const result = await run(listed, {}, { exec });
    expect(result.calls.map(({ argv }) => argv[1])).toEqual(['x', 'y']);
    expect(result.calls[0]?.argv[2]).toBe('["x","y"]');
  });

  test('a parallel repetition fails with a branch, unless min_successful branches succeed', async () => {
    const exec = scriptedExec({ a0: { code: 2 } });
    const each = { parallel: true, repeat: 3, template: 'a{index}' };
    expect((await run({ ...each, failure: 'branch' }, {}, { exec })).ok).toBe(false);
    expect((await run(each, {}, { exec })).ok).toBe(false);
    expect((await run({ ...each, min_successful: 2 }, {}, { exec })).ok).toBe(true);
    expect((await run({ ...each, min_successful: 3 }, {}, { exec })).ok).toBe(false);
  });

  test('at most `concurrency` branches run in parallel', async () => {
    let [runningCount, maxCount] = [0, 0];
    const exec = async () => {
      maxCount = Math.max(maxCount, ++runningCount);
      await new Promise((resolve) => setImmediate(resolve));
      runningCount--;
      return { code: 0, killed: false, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    };
    const ended = await run({ parallel: true, concurrency: 2, repeat: 9, template: 'a' }, {}, { exec });
    expect({ ok: ended.ok, maxCount, calls: ended.calls.length }).toEqual({ ok: true, maxCount: 2, calls: 9 });
  });

  test('a branch that ends the run stops its parallel branches', async () => {
    const ended = await run({ parallel: true, template: [{ failure: 'root', template: 'false' }, 'sleep 3600'] });
    expect(ended.ok).toBe(false);
  });

  test('a repetition with too many rounds is refused', async () => {
    expect((await run({ repeat: 2e9, template: 'a' })).errorCode).toBe('template.too_many_rounds');
  });

  test('a group fails at its time limit', async () => {
    const ended = await run({ timeout: 200, template: ['sleep 3600', 'touch group-late'] });
    expect(ended.ok).toBe(false);
    expect(existsSync(join(dir, 'group-late'))).toBe(false);
  });

  test('a command gets only the declared environment variables', async () => {
    process.env.ORA_SECRET = 'leaked';
    try {
      expect((await run("sh -c 'echo [$ORA_SECRET]'")).text).toBe('\n[]');
      expect((await run("sh -c 'echo [$ORA_SECRET]'", {}, { passEnv: ['ORA_SECRET'] })).text).toBe('\n[leaked]');
    } finally {
      delete process.env.ORA_SECRET;
    }
  });

  test('a sequence with a retry runs again as a whole when a step fails', async () => {
    const exec = scriptedExec({ b: [{ code: 1 }, {}] });
    const ended = await run({ retry: 3, template: ['a', 'b'] }, {}, { exec });
    expect({ ok: ended.ok, calls: ended.calls.map(({ argv }) => argv[0]) }).toEqual({ ok: true, calls: ['a', 'b', 'a', 'b'] });
  });
});
