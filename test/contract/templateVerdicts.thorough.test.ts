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
  ] as const)('starts nothing when a value cannot be filled in: %j', async ([recipe, said]) => {
    for (const more of [[], ['--compat']]) {
      const ran = await run(recipe, ...more);
      expect(ran.text).toContain(said);
      expect([ran.exitCode, existsSync(join(ran.dir, 'begun'))]).toEqual([2, false]);
    }
  });

  test('starts nothing with a value of another type than its argument is declared to be', async () => {
    const ran = await run({ args: ['n:int'], template: ['touch begun', 'echo {n}'] }, '--input', 'n=1.5');
    expect(ran.text).toContain('Argument n must be an integer');
    expect([ran.exitCode, existsSync(join(ran.dir, 'begun'))]).toEqual([2, false]);
  });

  test('starts what only a step that is skipped could not be filled with', async () => {
    const ran = await run({ defaults: { list: [] }, template: [{ when: 'deep', template: 'echo {list[0]}' }, 'true'] });
    expect(ran.exitCode).toBe(0);
  });

  test.for([
    ['{on=true}', [], true],
    ['{on=no}', [], false],
    ['{on:bool=true}', ['--input', 'on=false'], false],
    ['{on=0}', ['--input', 'on=yes'], true],
  ] as const)('asks %s with %j', async ([when, more, runs]) => {
    const ran = await run({ template: ['true', { when, template: 'touch begun' }] }, ...more);
    expect([ran.exitCode, existsSync(join(ran.dir, 'begun'))]).toEqual([0, runs]);
  });

  test('keeps its artifacts also when it stops early, and knows the defaults of its arguments', async () => {
    const template = [{ failure: 'root', template: "sh -c 'echo half > half.txt; exit 1'" }, 'true'];
    const ran = await run({ args: ['name=half'], artifacts: { report: '{name}.txt', other: 'none.txt' }, template });
    expect(ran.exitCode).toBe(1);
    expect(readFileSync(join(ran.dir, 'out/artifacts/report.txt'), 'utf8')).toBe('half\n');
  });

  test('keeps the time of a group that is written as a text, and refuses one that is none', async () => {
    const slow = await run({ timeout: '300', template: ['sleep 3600', 'true'] });
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
