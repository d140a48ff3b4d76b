// A template as a program runs it, with its values, and as a compiled recipe: what is alike, and what is not.
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

  const direct = (template: unknown, values = {}, options: RunTemplateOptions = {}) =>
    runTemplate(template, values, { cwd: join(root, 'direct'), ...options });
  function compiled(recipe: object, inputs = {}): Promise<RunResult> {
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
  ] as const)('%j is run by a program, which knows the values, and refused as a recipe', async ([node, code]) => {
    const recipe = { defaults: { n: 2, zero: 0, list: ['a', 'b'] }, ...node };
    expect(await direct(recipe)).toMatchObject({ ok: true });
    expect(codes(await compiled(recipe))).toContain(code);
  });

  test('that asks for more successes than it has branches fails when it runs, and is refused as a recipe', async () => {
    const recipe = { parallel: true, min_successful: 3, template: ['true', 'true'] };
    const ended = await direct(recipe);
    expect({ ok: ended.ok, calls: ended.calls.length }).toEqual({ ok: false, calls: 2 });
    expect(codes(await compiled(recipe))).toEqual(['template.too_many_successes']);
  });

  test('tries a recovery again when the recovery has tries of its own', async () => {
    writeFileSync(join(root, 'fix.sh'), 'echo try >> log; test $(wc -l < log) -ge 2');
    writeFileSync(join(root, 'direct/fix.sh'), readFileSync(join(root, 'fix.sh')));
    const recipe = { retry: 2, recover: { retry: 3, template: ['sh fix.sh'] }, template: 'test -e log' };
    expect(await direct(recipe)).toMatchObject({ ok: true });
    expect(await compiled(recipe)).toMatchObject({ ran: true, verdict: 'pass' });
    expect([log('direct'), log()]).toEqual(['try\ntry\n', 'try\ntry\n']);
  });

  test('hands on nothing of a branch that is skipped', async () => {
    const branches = { parallel: true, template: [{ when: 'no', template: 'cat' }, 'cat'] };
    const text = '--- branch: branch 1 status: done ---\n\n--- branch: branch 2 status: done ---\nx';
    expect((await direct(['printf x', branches])).text).toBe(`\n${text}`);
    await compiled({ template: ['printf x', branches, 'tee log'] });
    expect(log()).toBe(text);
    const reference = await direct(['printf x', branches], {}, { compat: true });
    expect(reference.text).toContain('--- branch: branch 1 status: done ---\nx');
  });

  test('hands a recovery the output of the failed try when a program runs it, and nothing as a recipe', async () => {
    const recipe = { retry: 2, recover: 'tee -a log', failure: 'branch', template: ['printf x', "sh -c 'cat; exit 1'"] };
    await direct(recipe);
    await compiled(recipe);
    expect([log('direct'), log()]).toEqual(['x', '']);
  });

  test('pipes rounds over a list when a program runs it, and not as a recipe', async () => {
    const template = [{ repeat: '{list.length}', template: "sh -c 'cat; echo $0' {list[index]}" }, 'tee log'];
    const recipe = { args: ['list:array'], template };
    await direct(recipe, { list: ['a', 'b'] });
    await compiled(recipe, { list: ['a', 'b'] });
    expect([log('direct'), log()]).toEqual(['a\nb\n', 'b\n']);
  });

  test('fails for output that is too long to keep: a program at once, a recipe when another command reads it', async () => {
    const long = { template: `node -e 'process.stdout.write("x".repeat(11e6))'` };
    expect(await direct(long)).toMatchObject({ ok: false, failed: [{ reason: expect.stringContaining('11000000 bytes') }] });
    expect(await compiled(long)).toMatchObject({ ran: true, verdict: 'pass' });
  });

  test('whose program does not exist fails with 127, and as a recipe is unknown', async () => {
    const recipe = { template: ['no-such-program-anywhere'] };
    expect(await direct(recipe)).toMatchObject({ ok: false, calls: [{ code: 127 }] });
    expect(await compiled(recipe)).toMatchObject({ ran: true, verdict: 'unknown' });
    expect(errorCodes()).toContain('command.not_started');
  });

  test('that gives a command a null byte ends with an error, and as a recipe is unknown', async () => {
    const recipe = { args: ['text'], template: ['touch begun', 'echo {text}', 'touch after'] };
    const ended = await direct(recipe, { text: 'a\0b' });
    expect({ ...ended, calls: ended.calls.length }).toMatchObject({ ok: false, errorCode: 'template.null_byte', calls: 2 });
    expect(await compiled(recipe, { text: 'a\0b' })).toMatchObject({ ran: true, verdict: 'unknown' });
    expect(errorCodes()).toContain('command.not_started');
  });

  test('that tries one command several times counts one call, and as a recipe a node for each try', async () => {
    const recipe = { retry: 3, template: 'false' };
    expect((await direct(recipe)).calls).toMatchObject([{ argv: ['false'], retry: 3 }]);
    await compiled(recipe);
    expect(journalLines().filter((line) => line.t === 'begin' && line.action === 'rw.exec').length).toBe(3);
  });

  test('in which nothing can fail is ok, and as a recipe is unknown', async () => {
    const recipe = { failure: 'continue', template: ['false', 'true'] };
    expect(await direct(recipe)).toMatchObject({ ok: true });
    expect(await compiled(recipe)).toMatchObject({ ran: true, verdict: 'unknown' });
  });
});

describe('a template that a program runs', () => {
  const cwd = tmpdir();

  test('ends the branches beside one that ends the run, and tries again around both', async () => {
    const branches = { parallel: true, template: [{ failure: 'root', template: 'false' }, 'sleep 3600'] };
    const ended = await runTemplate({ retry: 2, template: ['true', branches, 'true'] }, {}, { cwd });
    expect(ended.ok).toBe(false);
    expect(ended.calls.map(({ argv: [program] }) => program)).toEqual(['true', 'false', 'sleep', 'true', 'false', 'sleep']);
  });

  test('says that a group took longer than its time limit', async () => {
    const ended = await runTemplate({ timeout: 100, template: ['sleep 3600', 'true'] }, {}, { cwd });
    expect(ended.failed.map(({ reason }) => reason)).toContain('the group took longer than 100 ms');
    expect(ended.calls.length).toBe(1);
  });

  test('tries a group again that took longer than its time limit', async () => {
    const ended = await runTemplate({ timeout: 100, retry: 2, template: ['sleep 3600'] }, {}, { cwd });
    expect({ ok: ended.ok, calls: ended.calls.length }).toEqual({ ok: false, calls: 2 });
  });

  test('starts nothing when it is aborted before it begins', async () => {
    const ended = await runTemplate(['true'], {}, { cwd, signal: AbortSignal.abort('enough') });
    expect({ ok: ended.ok, calls: ended.calls }).toEqual({ ok: false, calls: [] });
    expect(ended.failed).toMatchObject([{ reason: 'the run was stopped before it began' }]);
  });

  test('throws what the program that starts its commands throws', async () => {
    const exec = () => Promise.reject(new Error('no such service'));
    await expect(runTemplate(['a', 'b'], {}, { exec })).rejects.toThrow('no such service');
    await expect(runTemplate(['a', 'b'], {}, { exec, compat: true })).rejects.toThrow('no such service');
  });

  test('may be deeper than the calls of a recipe', async () => {
    const deep = Array.from({ length: 40 }).reduce<object>((template) => ({ template: [template] }), { template: 'true' });
    expect(await runTemplate(deep, {}, { cwd })).toMatchObject({ ok: true, calls: [{ argv: ['true'] }] });
  });
});
