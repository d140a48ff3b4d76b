// The hazards of the reference once more, by the way that users take: a file, compiled, run, and its evidence.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunResult, runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { running } from '../support/processProbe.js';

describe('a hazard of the reference, compiled', () => {
  let dir: string;
  let runs: number;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
    runs = 0;
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  function run(recipe: object | string, options: object = {}): Promise<RunResult> {
    const isText = typeof recipe === 'string';
    const file = join(dir, isText ? 'a.template.md' : 'a.template.json');
    writeFileSync(file, isText ? recipe : JSON.stringify(recipe));
    return runRecipe(file, { artifactsDir: join(dir, `out-${++runs}`), projectRoot: dir, ...options });
  }
  async function verdicts(recipe: object): Promise<unknown> {
    const ran = await run(recipe);
    if (!ran.ran) throw new Error(JSON.stringify(ran.findings));
    return { exitCode: ran.exitCode, ...ran.summary.verdicts };
  }
  const codes = ({ findings }: RunResult): string[] => findings.map(({ code }) => code);
  const outputs = (ran: RunResult): { stdout: string }[] =>
    ran.ran ? ran.trace.flatMap(({ action, output }) => (action === 'rw.exec' ? [output as { stdout: string }] : [])) : [];
  const onlyThere = { exitCode: 1, honest: 'fail', compat: 'pass' };

  test('1: death by a signal is success', async () => {
    expect(await verdicts({ template: "sh -c 'kill -9 $$'" })).toEqual(onlyThere);
    expect(await verdicts({ template: ["sh -c 'kill -9 $$'", 'true'] })).toEqual(onlyThere);
  });

  test('2: who is stopped by the time limit and exits with 0 has succeeded', async () => {
    expect(await verdicts({ timeout: 300, template: `sh -c 'trap "exit 0" TERM; sleep 30 & wait'` })).toEqual(onlyThere);
  });

  test('3: a sequence whose last step fails, and branches that all fail, are good', async () => {
    expect(await verdicts({ template: ['true', 'false'] })).toEqual(onlyThere);
    expect(await verdicts({ parallel: true, template: ['false', 'false'] })).toEqual(onlyThere);
  });

  test('4: after an abort more commands are started, and the run may end well', async () => {
    const stop = new AbortController();
    const ran = run({ template: ["sh -c 'touch begun; sleep 60'", 'touch after'] }, { signal: stop.signal });
    await expect.poll(() => existsSync(join(dir, 'begun'))).toBe(true);
    stop.abort();
    expect(await ran).toMatchObject({ ran: true, verdict: 'unknown', summary: { verdicts: { compat: 'unknown' } } });
    expect(existsSync(join(dir, 'after'))).toBe(false);
  });

  test('5: a value of the caller is read as a template and shows other values', async () => {
    const ran = await run({ template: 'echo {text} {secret}' }, { inputs: { text: '{secret}', secret: 'hunter2' } });
    expect(outputs(ran)[0]?.stdout).toBe('{secret} hunter2\n');
  });

  test('6: {toString??x} reads what objects inherit', async () => {
    const ran = await run({ template: 'echo {toString??x}' }, { inputs: { toString: '' } });
    expect(outputs(ran)[0]?.stdout).toBe('x\n');
    expect(codes(await run({ template: 'echo {toString??x}' }))).toEqual(['inputs.missing_value']);
    expect(codes(await run({ template: 'echo {constructor?a:b}' }))).toEqual(['inputs.forbidden_name']);
  });

  test('7: a caller overrides what a recipe sets for its import', async () => {
    writeFileSync(join(dir, 'one.json'), '{ "template": "echo {scope}" }');
    const recipe = { args: ['scope'], imports: { one: './one.json' }, template: [{ name: 'one', values: { scope: 'docs' } }] };
    expect(outputs(await run(recipe, { inputs: { scope: '/' } }))[0]?.stdout).toBe('docs\n');
  });

  test('8: what is set on a node around an object is forgotten', async () => {
    const ran = await run({ template: [{ failure: 'branch', template: { template: ['false', 'touch a'] } }, 'touch b'] });
    expect([ran.exitCode, existsSync(join(dir, 'a')), existsSync(join(dir, 'b'))]).toEqual([1, false, false]);
  });

  test('9: a condition that is not understood, or just "true", skips its step without a word', async () => {
    expect(await verdicts({ template: [{ when: 'true', template: 'false' }, 'true'] })).toMatchObject({ honest: 'fail' });
    const refused = await run({ template: [{ when: 'env == prod', template: 'false' }, 'true'] });
    expect([refused.exitCode, codes(refused)]).toEqual([2, ['template.unsupported_when']]);
  });

  test('10: what is missing is found when half of the commands have run', async () => {
    const refused = await run({ template: ['touch first', 'echo {nope}'] });
    expect([refused.exitCode, codes(refused)]).toEqual([2, ['inputs.missing_value']]);
    const type = await run({ args: ['n:int'], template: ['touch first', 'echo {n}'] }, { inputTexts: new Map([['n', 'x']]) });
    expect([type.exitCode, codes(type)]).toEqual([2, ['inputs.invalid_value']]);
    expect(existsSync(join(dir, 'first'))).toBe(false);
  });

  test('11: bytes are lost between two commands', async () => {
    expect(outputs(await run({ template: ["printf '\\377'", 'od -An -tx1'] }))[1]?.stdout.trim()).toBe('ff');
  });

  test('12: fields of the front matter are lost or torn apart', async () => {
    const text = '---\nargs: mode:enum(a,b)\ndefaults:\n  x: 1\n\n  y: 2\n---\n```template\necho {x} {y} {mode}\n```\n';
    expect(outputs(await run(text, { inputs: { mode: 'b' } }))[0]?.stdout).toBe('1 2 b\n');
    expect(codes(await run(text, { inputs: { mode: 'c' } }))).toEqual(['inputs.invalid_value']);
  });

  test('13: what a command leaves running lives on', async () => {
    await run({ template: "sh -c 'sleep 300.0713 >/dev/null 2>&1 & true'" });
    expect(running('sleep\u0000300.0713')).toEqual([]);
  });
});
