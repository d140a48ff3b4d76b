// Ways in which a compiled template recipe could look better, or worse, than what its commands did.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliProject } from '../support/cli.js';

type Ran = { exitCode: number | null; text: string; dir: string; summary(): { status: string; verdicts?: object } };

async function run(template: object, ...more: string[]): Promise<Ran> {
  const { dir, run: cli } = cliProject({ 'package.json': {}, 'a.template.json': template });
  const { exitCode, stdout, stderr } = await cli('run', '--recipe', 'a.template.json', '--artifacts-dir', 'out', ...more);
  const summary = () => JSON.parse(readFileSync(join(dir, 'out/summary.json'), 'utf8')) as ReturnType<Ran['summary']>;
  return { exitCode, text: stdout + stderr, dir, summary };
}

describe('a compiled template recipe', () => {
  test('does not pass when a pipe would have been cut', async () => {
    const ran = await run({ template: ['head -c 12000000 /dev/zero', 'wc -c'] });
    expect(ran.exitCode).toBe(1);
    expect(ran.text).toContain('wrote 12000000 bytes, more than the 10000000 that are kept');
  });

  test('does not pass by the rules of the reference when a value cannot be filled in, which ends the run there', async () => {
    const index = await run({ defaults: { list: ['a'] }, template: ['true', 'echo {list[3]}', 'true'] }, '--compat');
    expect([index.exitCode, index.summary().verdicts]).toEqual([1, { honest: 'fail', compat: 'fail' }]);
    const type = await run({ args: ['n:int'], template: ['true', 'echo {n}'] }, '--compat', '--input', 'n=1.5');
    expect([type.exitCode, type.summary().status]).toEqual([1, 'fail']);
    const marked = { failure: 'continue', template: 'echo {list[3]}' };
    expect((await run({ defaults: { list: [] }, template: ['true', marked, 'true'] }, '--compat')).exitCode).toBe(1);
  });

  test('keeps the time of a group that is written as a text, and refuses one that is none', async () => {
    const slow = await run({ timeout: '300', template: ['sleep 20', 'true'] });
    expect(slow.exitCode).toBe(1);
    expect(slow.text).toContain('300 ms');
    for (const template of ['true', ['true']]) {
      const none = await run({ timeout: -5, template });
      expect(none.exitCode).toBe(2);
      expect(none.text).toContain('Command template timeout must be a non-negative number.');
    }
  });

  test('lets a step fail that may, also inside of what is tried again', async () => {
    expect((await run({ retry: 2, template: [{ failure: 'continue', template: 'false' }, 'true'] })).exitCode).toBe(0);
    expect((await run({ retry: 2, template: ['false', 'true'] })).exitCode).toBe(1);
  });

  test('ends with a repair that fails, and goes no further in it', async () => {
    const ran = await run({ retry: 2, recover: ['false', 'touch repaired'], template: 'test -e repaired' });
    expect([ran.exitCode, existsSync(join(ran.dir, 'repaired'))]).toEqual([1, false]);
  });

  test('has no more branches side by side than the reference allows, unless somebody says how many at a time', async () => {
    const wide = { parallel: true, template: Array.from({ length: 65 }, () => 'true') };
    const refused = await run(wide);
    expect(refused.exitCode).toBe(2);
    expect(refused.text).toContain('parallel fanout 65 exceeds limit 64');
    expect((await run({ ...wide, concurrency: 8 })).exitCode).toBe(0);
  });
});
