// A template that a program runs directly (runTemplate) and the same template as a compiled recipe: where they agree and differ.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readJournal } from '../../src/evidence/journal.js';
import { type RunResult, runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { type RunTemplateOptions, runTemplate } from '../../src/hosts/plain/runTemplate.js';

describe('a template', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'recipewright-'));
    mkdirSync(join(root, 'direct'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const runDirectly = (template: unknown, values = {}, options: RunTemplateOptions = {}) =>
    runTemplate(template, values, { cwd: join(root, 'direct'), ...options });
  function runAsRecipe(recipe: object, inputs = {}): Promise<RunResult> {
    writeFileSync(join(root, 'a.template.json'), JSON.stringify(recipe));
    return runRecipe(join(root, 'a.template.json'), { artifactsDir: join(root, 'out'), projectRoot: root, inputs });
  }
  const codes = ({ findings }: RunResult): string[] => findings.map(({ code }) => code);
  const journalLines = () => readJournal(readFileSync(join(root, 'out/journal.jsonl'), 'utf8').trimEnd().split('\n')).lines;
  const errorCodes = () => journalLines().flatMap((line) => (line.t === 'end' && line.error ? [line.error.code] : []));
  const log = (folder = ''): string => readFileSync(join(root, folder, 'log'), 'utf8');

  test.for([
    [{ retry: '{n}', template: 'test {n} = 2' }, 'template.unsupported_field'],
    [{ parallel: true, concurrency: '{n}', template: ['true', 'true'] }, 'template.unsupported_field'],
    [{ parallel: true, min_successful: '{n}', template: ['true', 'true'] }, 'template.unsupported_field'],
    [{ timeout: '{n}0000', template: ['true', 'true'] }, 'template.unsupported_field'],
    [{ timeout: 20_000, delay: '{n}', template: ['true', 'true'] }, 'template.unsupported_field'],
    [{ when: '{n?yes:no}', template: 'true' }, 'template.unsupported_when'],
    [{ when: '{n*0}', template: 'false' }, 'template.unsupported_when'],
    [{ repeat: '{list.length}', template: [{ when: 'prev', template: 'true' }] }, 'template.unsupported_when'],
    [{ template: "sh -c 'exit {zero}'" }, 'template.value_as_code'],
    [{ template: 'printf {{zero}}' }, 'template.double_braces'],
  ] as const)('runTemplate, which knows the values, runs %j, but a recipe refuses it', async ([node, code]) => {
    const recipe = { defaults: { n: 2, zero: 0, list: ['a', 'b'] }, ...node };
    expect(await runDirectly(recipe)).toMatchObject({ ok: true });
    expect(codes(await runAsRecipe(recipe))).toContain(code);
  });

  test('a template that needs more successes than it has branches fails in runTemplate, and is refused as a recipe', async () => {
    const recipe = { parallel: true, min_successful: 3, template: ['true', 'true'] };
    const ended = await runDirectly(recipe);
    expect({ ok: ended.ok, calls: ended.calls.length }).toEqual({ ok: false, calls: 2 });
    expect(codes(await runAsRecipe(recipe))).toEqual(['template.too_many_successes']);
  });

  test('a template retries a recovery that has its own retries', async () => {
    writeFileSync(join(root, 'fix.sh'), 'echo try >> log; test $(wc -l < log) -ge 2');
    writeFileSync(join(root, 'direct/fix.sh'), readFileSync(join(root, 'fix.sh')));
    const recipe = { retry: 2, recover: { retry: 3, template: ['sh fix.sh'] }, template: 'test -e log' };
    expect(await runDirectly(recipe)).toMatchObject({ ok: true });
    expect(await runAsRecipe(recipe)).toMatchObject({ ran: true, verdict: 'pass' });
    expect([log('direct'), log()]).toEqual(['try\ntry\n', 'try\ntry\n']);
  });

  test('a template passes on no output of a skipped branch', async () => {
    const branches = { parallel: true, template: [{ when: 'no', template: 'cat' }, 'cat'] };
    const text = '--- branch: branch 1 status: done ---\n\n--- branch: branch 2 status: done ---\nx';
    expect((await runDirectly(['printf x', branches])).text).toBe(`\n${text}`);
    await runAsRecipe({ template: ['printf x', branches, 'tee log'] });
    expect(log()).toBe(text);
    const reference = await runDirectly(['printf x', branches], {}, { compat: true });
    expect(reference.text).toContain('--- branch: branch 1 status: done ---\nx');
  });

  test('runTemplate passes the output of a failed attempt to the recovery, and a recipe passes nothing', async () => {
    const recipe = { retry: 2, recover: 'tee -a log', failure: 'branch', template: ['printf x', "sh -c 'cat; exit 1'"] };
    await runDirectly(recipe);
    await runAsRecipe(recipe);
    expect([log('direct'), log()]).toEqual(['x', '']);
  });

  test('runTemplate pipes the rounds over a list, and a recipe does not', async () => {
    const template = [{ repeat: '{list.length}', template: "sh -c 'cat; echo $0' {list[index]}" }, 'tee log'];
    const recipe = { args: ['list:array'], template };
    await runDirectly(recipe, { list: ['a', 'b'] });
    await runAsRecipe(recipe, { list: ['a', 'b'] });
    expect([log('direct'), log()]).toEqual(['a\nb\n', 'b\n']);
  });

  test('runTemplate fails for output that is too long, and a recipe fails only when another command reads the output', async () => {
    const long = { template: `node -e 'process.stdout.write("x".repeat(11e6))'` };
    expect(await runDirectly(long)).toMatchObject({ ok: false, failed: [{ reason: expect.stringContaining('11000000 bytes') }] });
    expect(await runAsRecipe(long)).toMatchObject({ ran: true, verdict: 'pass' });
  });

  test('a missing program fails with 127 in runTemplate, and makes a recipe unknown', async () => {
    const recipe = { template: ['no-such-program-anywhere'] };
    expect(await runDirectly(recipe)).toMatchObject({ ok: false, calls: [{ code: 127 }] });
    expect(await runAsRecipe(recipe)).toMatchObject({ ran: true, verdict: 'unknown' });
    expect(errorCodes()).toContain('command.not_started');
  });

  test('a null byte in a value ends runTemplate with an error, and makes a recipe unknown', async () => {
    const recipe = { args: ['text'], template: ['touch begun', 'echo {text}', 'touch after'] };
    const ended = await runDirectly(recipe, { text: 'a\0b' });
    expect({ ...ended, calls: ended.calls.length }).toMatchObject({ ok: false, errorCode: 'template.null_byte', calls: 2 });
    expect(await runAsRecipe(recipe, { text: 'a\0b' })).toMatchObject({ ran: true, verdict: 'unknown' });
    expect(errorCodes()).toContain('command.not_started');
  });

  test('runTemplate counts a retried command as one call, and a recipe has a node for each attempt', async () => {
    const recipe = { retry: 3, template: 'false' };
    expect((await runDirectly(recipe)).calls).toMatchObject([{ argv: ['false'], retry: 3 }]);
    await runAsRecipe(recipe);
    expect(journalLines().filter((line) => line.t === 'begin' && line.action === 'rw.exec').length).toBe(3);
  });

  test('a template in which nothing can fail is ok in runTemplate, and unknown as a recipe', async () => {
    const recipe = { failure: 'continue', template: ['false', 'true'] };
    expect(await runDirectly(recipe)).toMatchObject({ ok: true });
    expect(await runAsRecipe(recipe)).toMatchObject({ ran: true, verdict: 'unknown' });
  });
});

describe('runTemplate', () => {
  const cwd = tmpdir();

  test('runTemplate ends the parallel branches of a branch that ends the run, and then retries the group', async () => {
    const branches = { parallel: true, template: [{ failure: 'root', template: 'false' }, 'sleep 3600'] };
    const ended = await runTemplate({ retry: 2, template: ['true', branches, 'true'] }, {}, { cwd });
    expect(ended.ok).toBe(false);
    expect(ended.calls.map(({ argv: [program] }) => program)).toEqual(['true', 'false', 'sleep', 'true', 'false', 'sleep']);
  });

  test('runTemplate reports that a group exceeded its timeout', async () => {
    const ended = await runTemplate({ timeout: 100, template: ['sleep 3600', 'true'] }, {}, { cwd });
    expect(ended.failed.map(({ reason }) => reason)).toContain('the group took longer than 100 ms');
    expect(ended.calls.length).toBe(1);
  });

  test('runTemplate retries a group that exceeded its timeout', async () => {
    const ended = await runTemplate({ timeout: 100, retry: 2, template: ['sleep 3600'] }, {}, { cwd });
    expect({ ok: ended.ok, calls: ended.calls.length }).toEqual({ ok: false, calls: 2 });
  });

  test('runTemplate starts nothing when it is aborted before it begins', async () => {
    const ended = await runTemplate(['true'], {}, { cwd, signal: AbortSignal.abort('enough') });
    expect({ ok: ended.ok, calls: ended.calls }).toEqual({ ok: false, calls: [] });
    expect(ended.failed).toMatchObject([{ reason: 'the run was stopped before it began' }]);
  });

  test('runTemplate throws the errors of its exec option', async () => {
    const exec = () => Promise.reject(new Error('no such service'));
    await expect(runTemplate(['a', 'b'], {}, { exec })).rejects.toThrow('no such service');
    await expect(runTemplate(['a', 'b'], {}, { exec, compat: true })).rejects.toThrow('no such service');
  });

  test('runTemplate accepts a template that is deeper than the calls of a recipe', async () => {
    const deep = Array.from({ length: 40 }).reduce<object>((template) => ({ template: [template] }), { template: 'true' });
    expect(await runTemplate(deep, {}, { cwd })).toMatchObject({ ok: true, calls: [{ argv: ['true'] }] });
  });
});
