// Where the reference calls a broken run good, loses what it was given, or does what nobody asked for: ours is red, or safe.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadTemplateRecipe } from '../../../../src/formats/template/files/loadTemplateRecipe.js';
import { runTemplate } from '../../../../src/hosts/plain/runTemplate.js';
import { rehearsal } from './goldens.js';

describe('an honest run', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  });
  afterAll(() => rmSync(dir, { recursive: true }));
  const run = (template: unknown, values = {}, more = {}) => runTemplate(template, values, { cwd: dir, ...more });
  const both = async (template: unknown) => {
    return { ours: (await run(template)).ok, reference: (await run(template, {}, { compat: true })).ok };
  };

  test('fails when the last step of a sequence fails, and says which', async () => {
    expect(await both(['true', 'false'])).toEqual({ ours: false, reference: true });
    const ended = await run(['false', 'echo next', 'sh -c "exit 3"']);
    expect(ended.failed.map(({ argv, code }) => [argv[0], code])).toEqual([
      ['false', 1],
      ['sh', 3],
    ]);
    expect(ended.calls.length).toBe(3);
    expect(ended.reference).toEqual({ ok: true });
    expect(ended.error).toContain("sh -c 'exit 3': exit code 3");
  });

  test('passes over a failure that its author allows', async () => {
    expect(await both([{ failure: 'continue', template: 'false' }, 'true'])).toEqual({ ours: true, reference: true });
    expect((await run({ failure: 'continue', template: [{ template: ['false'] }, 'true'] })).ok).toBe(true);
  });

  test('fails when a command is ended by a signal', async () => {
    expect(await both('sh -c "echo hi; kill -9 $$"')).toEqual({ ours: false, reference: true });
  });

  test('fails when a command that ran out of time exits with 0', async () => {
    const ended = await run({ timeout: 150, template: `sh -c 'trap "exit 0" TERM; sleep 3600 & wait'` });
    expect(ended).toMatchObject({ ok: false, failed: [{ killed: true, reason: 'stopped: time limit of 150 ms exceeded' }] });
  });

  test('kills what a command started, and does not wait for it', async () => {
    const ended = await run({ timeout: 150, template: "sh -c 'sleep 3600 & sleep 3600; touch late'" });
    expect(ended.ok).toBe(false);
    expect(existsSync(join(dir, 'late'))).toBe(false);
  });

  test('ends what a command left running, and is not ok', async () => {
    const ended = await run("sh -c 'sleep 60 >/dev/null 2>&1 & echo started'");
    expect(ended.left).toEqual([expect.stringContaining('sleep')]);
    expect(ended.ok).toBe(false);
  });

  test('starts nothing after an abort', async () => {
    const stop = new AbortController();
    const running = run(['sleep 3600', 'touch after-abort', 'echo end'], {}, { signal: stop.signal });
    setImmediate(() => stop.abort('enough'));
    const ended = await running;
    expect(ended.ok).toBe(false);
    expect(ended.calls.length).toBeLessThanOrEqual(1);
    expect(existsSync(join(dir, 'after-abort'))).toBe(false);
  });

  test('finds a missing value before it starts anything', async () => {
    const ended = await run(['touch early', { failure: 'continue', template: 'echo {nope}' }]);
    expect(ended).toMatchObject({
      ok: false,
      error: 'Missing command template value: nope',
      errorCode: 'template.missing_value',
      calls: [],
    });
    expect(existsSync(join(dir, 'early'))).toBe(false);
  });

  test('holds values to the types that args declare, before it starts anything', async () => {
    const ended = await run({ args: ['n:int'], template: ['touch typed', 'echo {n}'] }, { n: 'abc' });
    expect(ended).toMatchObject({ ok: false, error: 'Argument n must be an integer.', calls: [] });
  });

  test('lets no caller change what a recipe sets for one that it imports', async () => {
    writeFileSync(join(dir, 'review.json'), '{ "template": "echo {scope}" }');
    const steps = ['README.md', 'docs', '{scope}'].map((scope) => ({ name: 'review', values: { scope } }));
    writeFileSync(join(dir, 'all.json'), JSON.stringify({ imports: { review: './review.json' }, template: steps }));
    const { recipe } = loadTemplateRecipe(join(dir, 'all.json'));
    const ended = await run(recipe?.template, { scope: 'CALL' });
    expect(ended.calls.map(({ argv }) => argv[1])).toEqual(['README.md', 'docs', 'CALL']);
  });

  test('minds what is set on a node around another one', async () => {
    const exec = rehearsal({ a: { code: 2 } });
    const stopped = await run({ failure: 'branch', template: { template: ['a', 'b'] } }, {}, { exec });
    expect(stopped.calls.map(({ argv }) => argv[0])).toEqual(['a']);
    const flaky = rehearsal({ a: [{ code: 1 }, { code: 1 }, {}] });
    const tried = await run({ retry: 3, template: { template: 'a' } }, {}, { exec: flaky });
    expect(tried).toMatchObject({ ok: true, calls: [{}, {}, {}] });
    const beside = await run({ parallel: true, template: { template: ['a', 'b'] } }, {}, { exec: rehearsal() });
    expect(beside.text).toContain('--- branch: branch 2 status: done ---');
  });

  test('takes "true" for true, and refuses a condition that it does not understand', async () => {
    const exec = rehearsal();
    const ran = await run(
      [
        { when: 'true', template: 'a' },
        { when: 'false', template: 'b' },
      ],
      {},
      { exec },
    );
    expect(ran.calls.map(({ argv }) => argv[0])).toEqual(['a']);
    expect((await run({ when: 'x == 1', template: 'a' }, {}, { exec })).errorCode).toBe('template.invalid_when');
  });

  test('pipes every byte unchanged', async () => {
    const bytes = `node -e 'process.stdout.write(Buffer.from([0xff,0xfe,0x00,0x41,0xc3]))'`;
    expect((await run([bytes, 'od -An -tx1'])).text).toBe('\n ff fe 00 41 c3');
  });

  test('refuses to pipe on what was too long to keep', async () => {
    const ended = await run([`node -e 'process.stdout.write("x".repeat(11e6))'`, 'wc -c']);
    expect(ended.ok).toBe(false);
    expect(ended.failed[0]?.reason).toContain('11000000 bytes');
  });

  test('reads the items of a list that is a default', async () => {
    const exec = rehearsal();
    const listed = { defaults: { p: ['x', 'y'], q: '{p}' }, repeat: '{q.length}', template: 'a {q[index]} {p}' };
    const ran = await run(listed, {}, { exec });
    expect(ran.calls.map(({ argv }) => argv[1])).toEqual(['x', 'y']);
    expect(ran.calls[0]?.argv[2]).toBe('["x","y"]');
  });

  test('fails a repeated branch that fails, and counts those that must succeed', async () => {
    const exec = rehearsal({ a0: { code: 2 } });
    const each = { parallel: true, repeat: 3, template: 'a{index}' };
    expect((await run({ ...each, failure: 'branch' }, {}, { exec })).ok).toBe(false);
    expect((await run(each, {}, { exec })).ok).toBe(false);
    expect((await run({ ...each, min_successful: 2 }, {}, { exec })).ok).toBe(true);
    expect((await run({ ...each, min_successful: 3 }, {}, { exec })).ok).toBe(false);
  });

  test('runs no more branches at a time than it is told', async () => {
    let [now, most] = [0, 0];
    const exec = async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return { code: 0, killed: false, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    };
    const ended = await run({ parallel: true, concurrency: 2, repeat: 9, template: 'a' }, {}, { exec });
    expect({ ok: ended.ok, most, calls: ended.calls.length }).toEqual({ ok: true, most: 2, calls: 9 });
  });

  test('ends the branches beside one that ends the run', async () => {
    const ended = await run({ parallel: true, template: [{ failure: 'root', template: 'false' }, 'sleep 3600'] });
    expect(ended.ok).toBe(false);
  });

  test('refuses more rounds than anybody can mean', async () => {
    expect((await run({ repeat: 2e9, template: 'a' })).errorCode).toBe('template.too_many_rounds');
  });

  test('holds a group to its time limit', async () => {
    const ended = await run({ timeout: 200, template: ['sleep 3600', 'touch group-late'] });
    expect(ended.ok).toBe(false);
    expect(existsSync(join(dir, 'group-late'))).toBe(false);
  });

  test('gives a command no more of the environment than is declared', async () => {
    process.env.ORA_SECRET = 'leaked';
    try {
      expect((await run("sh -c 'echo [$ORA_SECRET]'")).text).toBe('\n[]');
      expect((await run("sh -c 'echo [$ORA_SECRET]'", {}, { passEnv: ['ORA_SECRET'] })).text).toBe('\n[leaked]');
    } finally {
      delete process.env.ORA_SECRET;
    }
  });

  test('tries a whole sequence again when a step in it failed', async () => {
    const exec = rehearsal({ b: [{ code: 1 }, {}] });
    const ended = await run({ retry: 3, template: ['a', 'b'] }, {}, { exec });
    expect({ ok: ended.ok, calls: ended.calls.map(({ argv }) => argv[0]) }).toEqual({ ok: true, calls: ['a', 'b', 'a', 'b'] });
  });
});
