// The dangers of the reference runner again, with template files that are compiled and run, and with their packages.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunResult, runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { running } from '../support/processProbe.js';

describe('a hazard of the reference runner in a compiled template recipe', () => {
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
    const result = await run(recipe);
    if (!result.ran) throw new Error(JSON.stringify(result.findings));
    return { exitCode: result.exitCode, ...result.summary.verdicts };
  }
  const codes = ({ findings }: RunResult): string[] => findings.map(({ code }) => code);
  const outputs = (result: RunResult): { stdout: string }[] =>
    result.ran ? result.trace.flatMap(({ action, output }) => (action === 'rw.exec' ? [output as { stdout: string }] : [])) : [];
  const onlyReferencePasses = { exitCode: 1, honest: 'fail', compat: 'pass' };

  test('1: a compiled command that a signal killed fails, and passes only by the reference verdict', async () => {
    expect(await verdicts({ template: "sh -c 'kill -9 $$'" })).toEqual(onlyReferencePasses);
    expect(await verdicts({ template: ["sh -c 'kill -9 $$'", 'true'] })).toEqual(onlyReferencePasses);
  });

  test('2: a compiled command that exits with 0 after its timeout fails, and passes only by the reference verdict', async () => {
    expect(await verdicts({ timeout: 300, template: `sh -c 'trap "exit 0" TERM; sleep 30 & wait'` })).toEqual(
      onlyReferencePasses,
    );
  });

  test('3: a compiled sequence with a failed last step fails, and passes only by the reference verdict', async () => {
    expect(await verdicts({ template: ['true', 'false'] })).toEqual(onlyReferencePasses);
    expect(await verdicts({ parallel: true, template: ['false', 'false'] })).toEqual(onlyReferencePasses);
  });

  test('4: a compiled template starts no command after an abort', async () => {
    const stop = new AbortController();
    const result = run({ template: ["sh -c 'touch begun; sleep 60'", 'touch after'] }, { signal: stop.signal });
    await expect.poll(() => existsSync(join(dir, 'begun'))).toBe(true);
    stop.abort();
    expect(await result).toMatchObject({ ran: true, verdict: 'unknown', summary: { verdicts: { compat: 'unknown' } } });
    expect(existsSync(join(dir, 'after'))).toBe(false);
  });

  test('5: a compiled template does not expand references in the values of the caller', async () => {
    const result = await run({ template: 'echo {text} {secret}' }, { inputs: { text: '{secret}', secret: 'hunter2' } });
    expect(outputs(result)[0]?.stdout).toBe('{secret} hunter2\n');
  });

  test('6: {toString??x} in a compiled template does not read an inherited property', async () => {
    const result = await run({ template: 'echo {toString??x}' }, { inputs: { toString: '' } });
    expect(outputs(result)[0]?.stdout).toBe('x\n');
    expect(codes(await run({ template: 'echo {toString??x}' }))).toEqual(['inputs.missing_value']);
    expect(codes(await run({ template: 'echo {constructor?a:b}' }))).toEqual(['inputs.forbidden_name']);
  });

  test('7: a caller cannot override the values of an import in a compiled template', async () => {
    writeFileSync(join(dir, 'one.json'), '{ "template": "echo {scope}" }');
    const recipe = { args: ['scope'], imports: { one: './one.json' }, template: [{ name: 'one', values: { scope: 'docs' } }] };
    expect(outputs(await run(recipe, { inputs: { scope: '/' } }))[0]?.stdout).toBe('docs\n');
  });

  test('8: a compiled template applies the failure setting of an outer node', async () => {
    const result = await run({ template: [{ failure: 'branch', template: { template: ['false', 'touch a'] } }, 'touch b'] });
    expect([result.exitCode, existsSync(join(dir, 'a')), existsSync(join(dir, 'b'))]).toEqual([1, false, false]);
  });

  test('9: a compiled template runs a step with the condition "true", and an unknown condition is refused', async () => {
    expect(await verdicts({ template: [{ when: 'true', template: 'false' }, 'true'] })).toMatchObject({ honest: 'fail' });
    const refused = await run({ template: [{ when: 'env == prod', template: 'false' }, 'true'] });
    expect([refused.exitCode, codes(refused)]).toEqual([2, ['template.unsupported_when']]);
  });

  test('10: a compiled template with a missing or invalid value is refused before a command runs', async () => {
    const refused = await run({ template: ['touch first', 'echo {nope}'] });
    expect([refused.exitCode, codes(refused)]).toEqual([2, ['inputs.missing_value']]);
    const type = await run({ args: ['n:int'], template: ['touch first', 'echo {n}'] }, { inputTexts: new Map([['n', 'x']]) });
    expect([type.exitCode, codes(type)]).toEqual([2, ['inputs.invalid_value']]);
    expect(existsSync(join(dir, 'first'))).toBe(false);
  });

  test('11: a pipe in a compiled template does not change bytes', async () => {
    expect(outputs(await run({ template: ["printf '\\377'", 'od -An -tx1'] }))[1]?.stdout.trim()).toBe('ff');
  });

  test('12: a compiled template reads all fields of the front matter', async () => {
    const text = '---\nargs: mode:enum(a,b)\ndefaults:\n  x: 1\n\n  y: 2\n---\n```template\necho {x} {y} {mode}\n```\n';
    expect(outputs(await run(text, { inputs: { mode: 'b' } }))[0]?.stdout).toBe('1 2 b\n');
    expect(codes(await run(text, { inputs: { mode: 'c' } }))).toEqual(['inputs.invalid_value']);
  });

  test('13: a process that a compiled command leaves running is ended', async () => {
    await run({ template: "sh -c 'sleep 300.0713 >/dev/null 2>&1 & true'" });
    expect(running('sleep\u0000300.0713')).toEqual([]);
  });
});
