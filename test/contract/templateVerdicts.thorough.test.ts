// Cases in which a compiled template recipe could have a better or worse verdict than its commands deserve.
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
  test('a compiled template recipe does not pass when the output for a pipe is too long', async () => {
    const ran = await run({ template: ['head -c 12000000 /dev/zero', 'wc -c'] });
    expect(ran.exitCode).toBe(1);
    expect(ran.text).toContain('wrote 12000000 bytes, but at most 10000000 can be piped');
  });

  test.for([
    [{ defaults: { list: ['a'] }, template: ['touch begun', 'echo {list[3]}'] }, 'Missing command template value: list[3]'],
    [
      { defaults: { l: [] }, template: ['touch begun', { failure: 'continue', template: 'echo {l[0]}' }] },
      'template.missing_value',
    ],
    [
      { args: ['n:int=3'], template: ['touch begun', { timeout: '{n}x', template: 'true' }] },
      'timeout must be a non-negative number',
    ],
    [
      { defaults: { list: ['a'] }, template: ['touch begun', { repeat: 3, template: 'echo {list[index]}' }] },
      'value: list[index]',
    ],
    [{ artifacts: { a: '{gone[1]}' }, template: 'touch begun' }, 'Missing recipe artifacts.a value: gone[1]'],
  ] as const)('a compiled template recipe starts nothing when a value cannot be inserted: %j', async ([recipe, message]) => {
    for (const more of [[], ['--compat']]) {
      const ran = await run(recipe, ...more);
      expect(ran.text).toContain(message);
      expect([ran.exitCode, existsSync(join(ran.dir, 'begun'))]).toEqual([2, false]);
    }
  });

  test('a compiled template recipe starts nothing when a value does not have the type of its argument', async () => {
    const ran = await run({ args: ['n:int'], template: ['touch begun', 'echo {n}'] }, '--input', 'n=1.5');
    expect(ran.text).toContain('Argument n must be an integer');
    expect([ran.exitCode, existsSync(join(ran.dir, 'begun'))]).toEqual([2, false]);
  });

  test('a compiled template recipe starts although a value is missing that only a skipped step needs', async () => {
    const ran = await run({ defaults: { list: [] }, template: [{ when: 'deep', template: 'echo {list[0]}' }, 'true'] });
    expect(ran.exitCode).toBe(0);
  });

  test.for([
    ['{on=true}', [], true],
    ['{on=no}', [], false],
    ['{on:bool=true}', ['--input', 'on=false'], false],
    ['{on=0}', ['--input', 'on=yes'], true],
  ] as const)('a compiled template recipe evaluates the condition %s with the arguments %j: %s', async ([when, more, runs]) => {
    const ran = await run({ template: ['true', { when, template: 'touch begun' }] }, ...more);
    expect([ran.exitCode, existsSync(join(ran.dir, 'begun'))]).toEqual([0, runs]);
  });

  test('a compiled template recipe that stops early still collects its artifacts, named by defaults of arguments', async () => {
    const template = [{ failure: 'root', template: "sh -c 'echo half > half.txt; exit 1'" }, 'true'];
    const ran = await run({ args: ['name=half'], artifacts: { report: '{name}.txt', other: 'none.txt' }, template });
    expect(ran.exitCode).toBe(1);
    expect(readFileSync(join(ran.dir, 'out/artifacts/report.txt'), 'utf8')).toBe('half\n');
  });

  test('a compiled template recipe accepts the timeout of a group as a string, and refuses an invalid timeout', async () => {
    const slow = await run({ timeout: '300', template: ['sleep 3600', 'true'] });
    expect(slow.exitCode).toBe(1);
    expect(slow.text).toContain('300 ms');
    for (const template of ['true', ['true']]) {
      const none = await run({ timeout: -5, template });
      expect(none.exitCode).toBe(2);
      expect(none.text).toContain('Command template timeout must be a non-negative number.');
    }
  });

  test('a compiled template recipe tolerates the failure of a step with "continue", also in a retried group', async () => {
    expect((await run({ retry: 2, template: [{ failure: 'continue', template: 'false' }, 'true'] })).exitCode).toBe(0);
    expect((await run({ retry: 2, template: ['false', 'true'] })).exitCode).toBe(1);
  });

  test('a compiled template recipe ends with a repair that fails, at the failed step of the repair', async () => {
    const ran = await run({ retry: 2, recover: ['false', 'touch repaired'], template: 'test -e repaired' });
    expect([ran.exitCode, existsSync(join(ran.dir, 'repaired'))]).toEqual([1, false]);
  });

  test('a compiled template recipe has at most as many parallel branches as the reference allows, unless it sets "concurrency"', async () => {
    const wide = { parallel: true, template: Array.from({ length: 65 }, () => 'true') };
    const refused = await run(wide);
    expect(refused.exitCode).toBe(2);
    expect(refused.text).toContain('parallel fanout 65 exceeds limit 64');
    expect((await run({ ...wide, concurrency: 8 })).exitCode).toBe(0);
  });
});
