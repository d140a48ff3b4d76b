// Template recipes from the file to the package: compiled recipe, real processes, evidence.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadRecipe } from '../../src/check/loadRecipe.js';
import { readJournal } from '../../src/evidence/journal.js';
import { replayJournal } from '../../src/evidence/replayJournal.js';
import type { TraceEntry } from '../../src/evidence/trace.js';
import type { Summary } from '../../src/evidence/writePackage.js';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { runTemplate } from '../../src/hosts/plain/runTemplate.js';
import { createRegistry } from '../../src/registry/registry.js';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { running } from '../support/processProbe.js';

type Ran = { summary: Summary; entry(id: string): TraceEntry; trace: TraceEntry[]; file(name: string): string };

describe('a template recipe', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  /** Fails at the first run in its directory. */
  const once = 'test -e once || { touch once; exit 1; }';
  function fresh(name: string): string {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'once.sh'), once);
    return join(root, name);
  }

  async function run(files: Record<string, unknown>, inputs: Record<string, unknown> = {}, more: object = {}): Promise<Ran> {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), typeof content === 'string' ? content : JSON.stringify(content));
    }
    const [first = ''] = Object.keys(files);
    const result = await runRecipe(join(root, first), { artifactsDir: join(root, 'out'), projectRoot: root, inputs, ...more });
    if (!result.ran) throw new Error(JSON.stringify(result.findings, null, 2));
    const trace = JSON.parse(readFileSync(join(root, 'out/trace.json'), 'utf8')) as TraceEntry[];
    const entry = (id: string): TraceEntry => {
      const found = trace.find(({ nodeId }) => nodeId === id);
      if (!found) throw new Error(`${id} is not in the trace: ${trace.map(({ nodeId }) => nodeId).join(', ')}`);
      return found;
    };
    return { summary: result.summary, entry, trace, file: (name) => readFileSync(join(root, 'out', name), 'utf8') };
  }

  test('a template recipe runs each command as a step, and pipes each into the next', async () => {
    const ran = await run({ 'a.template.json': { template: ['printf hello', 'tr a-z A-Z', 'wc -c'] } });
    expect(ran.summary).toMatchObject({ status: 'pass', failed: 0 });
    expect(ran.entry('template/step-2').output).toMatchObject({ exitCode: 0, stdout: 'HELLO' });
    expect(String((ran.entry('template/step-3').output as { stdout: string }).stdout).trim()).toBe('5');
  });

  test('a template recipe continues after a failed step, and fails', async () => {
    const ran = await run({ 'a.template.json': { template: ['false', 'printf next', 'false'] } });
    expect(ran.summary.status).toBe('fail');
    expect(ran.entry('template/step-2').output).toMatchObject({ stdout: 'next' });
    expect(ran.trace.filter(({ nodeId, ok }) => nodeId.startsWith('template/') && !ok).map(({ nodeId }) => nodeId)).toEqual([
      'template/step-1',
      'template/step-3',
    ]);
  });

  test('a template recipe that continues after a failure has a package that verifies and a journal that replays', async () => {
    const ran = await run({
      'a.template.json': { template: ['false', { parallel: true, template: ['false', 'true'] }, 'true'] },
    });
    const { lines } = readJournal(ran.file('journal.jsonl').trimEnd().split('\n'));
    const { loaded } = loadRecipe(join(root, 'a.template.json'), { registry: createRegistry(), projectRoot: root });
    if (!loaded) throw new Error('the recipe does not load');
    expect(replayJournal(loaded.plan, lines)).toBeUndefined();
    expect(verifyPackage(join(root, 'out'), { projectRoot: root })).toMatchObject({ status: 'verified', verdict: 'fail' });
  });

  test('a template recipe passes when the failed step was allowed to fail', async () => {
    const ran = await run({ 'a.template.json': { template: [{ failure: 'continue', template: 'false' }, 'printf next'] } });
    expect(ran.summary.status).toBe('pass');
    expect(ran.entry('template/step-1')).toMatchObject({ ok: true, tolerated: { cause_class: 'subject' } });
  });

  test('with compat, a template recipe has the verdict of the reference, and the summary has both verdicts', async () => {
    const recipe = { template: ['false', "sh -c 'kill -9 $$'", 'true'] };
    const soft = await run({ 'a.template.json': recipe }, {}, { compat: true });
    expect(soft.summary).toMatchObject({ status: 'pass', verdicts: { honest: 'fail', compat: 'pass' } });
    expect(soft.summary.reason).toBe('the reference runner ignores this failure: template/step-1: Command exited with 1: false');
    expect(verifyPackage(join(root, 'out'), { projectRoot: root })).toMatchObject({ status: 'verified', verdict: 'pass' });
  });

  test.for([
    [{ failure: 'branch', template: ['false', 'true'] }, 'fail'],
    [{ when: 'never', template: 'true' }, 'unknown'],
    [['no-such-program-anywhere'], 'unknown'],
  ] as const)('compat does not make every template recipe pass: %j is %s', async ([template, status]) => {
    const ran = await run({ 'a.template.json': { template } }, {}, { compat: true });
    expect(ran.summary.status).toBe(status);
  });

  test('an async template recipe is awaited in a test, and leaves no process behind', async () => {
    const asyncRecipe = { async: true, mailbox: { emits: ['run.done'] }, template: ["sh -c 'sleep 300.0815 & echo $!'", 'true'] };
    const ran = await run({ 'a.template.json': asyncRecipe });
    expect(ran.trace.filter(({ action }) => action === 'rw.exec').length).toBe(2);
    expect(running('sleep\u0000300.0815')).toEqual([]);
  });

  test('a template recipe runs nothing after a step that stops its branch', async () => {
    const ran = await run({ 'a.template.json': { failure: 'branch', template: ['false', 'touch never'] } });
    expect(ran.summary.status).toBe('fail');
    expect(ran.trace.some(({ nodeId }) => nodeId === 'template/step-2')).toBe(false);
  });

  test('a template recipe takes values from its inputs, and never reads them as templates', async () => {
    const recipe = { args: ['text:string', 'n:int'], defaults: { n: 1 }, template: 'printf %s-{n} {text}' };
    const ran = await run({ 'a.template.json': recipe }, { text: '{n} {1+1} {home}' });
    expect(ran.entry('template').output).toMatchObject({ stdout: '{n} {1+1} {home}-1' });
  });

  test('a template recipe passes on the outputs of all branches together', async () => {
    const recipe = { template: [{ parallel: true, template: [{ label: 'one', template: 'printf 1' }, 'printf 2'] }, 'cat'] };
    const ran = await run({ 'a.template.json': recipe });
    expect(ran.summary.status).toBe('pass');
    const text = '--- branch: one status: done ---\n1\n--- branch: branch 2 status: done ---\n2';
    expect(ran.entry('template/step-2').output).toMatchObject({ stdout: text });
  });

  test('a template recipe repeats over a list from its inputs, and counts the rounds', async () => {
    const recipe = {
      args: ['who:array'],
      template: [{ parallel: true, repeat: '{who.length}', template: 'printf {who[index]}{_(index+1)}' }, 'cat'],
    };
    const ran = await run({ 'a.template.json': recipe }, { who: ['ann', 'bob'] });
    expect(ran.summary.status).toBe('pass');
    const text = '--- branch: branch 1 status: done ---\nann01\n--- branch: branch 2 status: done ---\nbob02';
    expect(ran.entry('template/step-2').output).toMatchObject({ stdout: text });
  });

  test('a template recipe retries after a repair, and earlier failures do not count', async () => {
    const recipe = { retry: 3, recover: 'touch repaired', template: ['printf try', 'test -e repaired'] };
    const ran = await run({ 'a.template.json': recipe });
    expect(ran.summary.status).toBe('pass');
    expect(ran.trace.map(({ nodeId }) => nodeId)).toContain('template/recover');
  });

  test('a template recipe skips a step whose flag is not set', async () => {
    const recipe = {
      template: [
        { when: 'loud', template: 'printf LOUD' },
        { when: '!loud', template: 'printf quiet' },
      ],
    };
    const quiet = await run({ 'a.template.json': recipe });
    expect(quiet.entry('template/step-2').output).toMatchObject({ stdout: 'quiet' });
    expect(quiet.entry('template/step-1').output).toMatchObject({ skipped: true });
  });

  test('a template recipe in Markdown imports a recipe beside it, and its package contains its artifacts', async () => {
    const text =
      '---\nimports:\n  say: ./say.json\nartifacts:\n  report: "{out}"\ndefaults:\n  out: report.txt\n---\n\n```json\n[{ "name": "say", "values": { "word": "hi" } }, "tee {out}"]\n```\n';
    const ran = await run({ 'a.template.md': text, 'say.json': { defaults: { word: 'no' }, template: 'printf {word}' } });
    expect(ran.summary.status).toBe('pass');
    expect(ran.file('artifacts/report.txt')).toBe('hi');
    const { artifacts } = JSON.parse(ran.file('artifact-manifest.json')) as { artifacts: { label: string; size: number }[] };
    expect(artifacts.at(-1)).toMatchObject({ label: 'report', path: 'artifacts/report.txt', size: 2, nodeId: 'artifacts' });
  });

  test('a template recipe pipes every byte through a nested sequence, and past a skipped step', async () => {
    const bytes = "node -e 'process.stdout.write(Buffer.from([0xff,0xfe,0x00,0x41]))'";
    const recipe = { template: [{ template: [bytes, { when: 'no', template: 'false' }] }, 'od -An -tx1'] };
    const ran = await run({ 'a.template.json': recipe });
    expect(ran.summary.status).toBe('pass');
    expect(ran.entry('template/step-2').output).toMatchObject({ stdout: ' ff fe 00 41\n' });
  });

  test('a template recipe ends a command whose timeout is a value, and fails although the command exits with 0', async () => {
    const recipe = { defaults: { t: 200 }, timeout: '{t}', template: `sh -c 'trap "exit 0" TERM; sleep 3600 & wait'` };
    const ran = await run({ 'a.template.json': recipe });
    expect(ran.summary.status).toBe('fail');
    expect(ran.summary.reason).toContain('200 ms');
  });

  test('a template recipe reports an error of an imported recipe at the place of the import', async () => {
    const files = {
      'a.template.json': { imports: { b: './b.json' }, template: [{ name: 'b' }] },
      'b.json': { template: 'sh -c {x}' },
    };
    await expect(run(files)).rejects.toThrow(/template\.value_as_code[\s\S]*\/template\/0/);
  });

  test.for([
    ['true'],
    ['false'],
    [{ parallel: true, min_successful: 1, template: ['true', 'false'] }],
    [{ parallel: true, min_successful: 2, template: ['true', 'false'] }],
    [{ parallel: true, min_successful: 1, template: [{ when: 'no', template: 'true' }, 'false'] }],
    [{ parallel: true, min_successful: 2, template: ['true', { template: ['true', 'false'] }, 'true'] }],
    [{ parallel: true, min_successful: 3, template: ['true', { template: ['true', 'false'] }, 'true'] }],
    [{ parallel: true, min_successful: 2, repeat: 3, template: 'test {index} -lt 2' }],
    [[{ parallel: true, min_successful: 1, template: ['false', 'no-such-program-anywhere'] }, 'true']],
    [['true', 'false']],
    [[{ failure: 'continue', template: 'false' }, 'true']],
    [{ failure: 'branch', template: ['false', 'true'] }],
    [[{ failure: 'continue', template: ['false', { template: ['false'] }] }, 'true']],
    [['false']],
    [{ parallel: true, template: ['true', 'false'] }],
    [{ parallel: true, template: ['false', { failure: 'branch', template: ['false', 'true'] }] }],
    [{ parallel: true, template: [{ failure: 'continue', template: 'false' }, 'true'] }],
    [[{ parallel: true, failure: 'branch', template: ['true', 'false'] }, 'true']],
    [[{ failure: 'root', template: 'false' }, 'true']],
    [[{ template: ['true', { failure: 'branch', template: 'false' }] }, 'true']],
    [{ retry: 2, template: ['true', 'false'] }],
    [[{ retry: 2, template: ['false', 'true'] }, 'true']],
    [{ retry: 2, failure: 'branch', template: ['true', 'false'] }],
    [{ retry: 2, template: [{ parallel: true, template: ['false', 'true'] }, 'true'] }],
    [{ retry: 3, template: 'sh once.sh' }],
    [{ retry: 3, template: ['true', 'sh once.sh', 'true'] }],
    [{ retry: 3, failure: 'branch', template: ['true', 'sh once.sh', 'true'] }],
    [{ retry: 3, template: ['false', { failure: 'branch', template: 'sh once.sh' }, 'true'] }],
    [{ retry: 2, recover: 'false', template: 'false' }],
    [[{ retry: 2, recover: 'touch once', template: ['test -e once', 'true'] }, 'true']],
    [{ retry: 2, template: "sh -c 'kill -9 $$'" }],
    [{ retry: 2, repeat: 2, template: 'test {index} -lt 1' }],
    [{ parallel: true, min_successful: 1, failure: 'branch', template: ['true', 'false'] }],
    [[{ parallel: true, min_successful: 2, failure: 'branch', template: ['true', 'false'] }, 'true']],
    [{ parallel: true, min_successful: 1, failure: 'root', template: ['true', 'false'] }],
    [{ parallel: true, min_successful: 1, failure: 'branch', repeat: 2, template: 'test {index} -lt 1' }],
    [{ parallel: true, min_successful: 1, template: ['true', { template: ['false', 'true', 'true'] }] }],
    [{ parallel: true, min_successful: 1, template: ['true', { failure: 'branch', template: ['false', 'true'] }] }],
    [{ parallel: true, min_successful: 1, template: ['sleep 0.2', { template: [{ failure: 'root', template: 'false' }] }] }],
    [{ parallel: true, template: ['sleep 0.2', { template: [{ failure: 'root', template: 'false' }, 'true'] }] }],
    [{ parallel: true, template: ['true', { template: [{ failure: 'branch', template: 'false' }, 'true'] }] }],
    [{ retry: 2, recover: { failure: 'continue', template: 'false' }, template: 'false' }],
    [[{ retry: 2, recover: { failure: 'continue', template: 'true' }, template: ['false'] }, 'true']],
    [[{ failure: 'root', retry: 2, template: 'false' }, 'true']],
    [{ repeat: 3, template: 'test {index} -lt 3' }],
    [{ repeat: 3, template: 'test {index} -lt 2' }],
    ["sh -c 'kill -9 $$'"],
    [['true', { failure: 'root', retry: 3, template: ['true', 'sh once.sh', 'true'] }]],
    [['true', { failure: 'root', retry: 2, template: ['true', 'false', 'true'] }, 'true']],
    [{ failure: 'root', retry: 2, template: ['false'] }],
  ] as const)('the template recipe %j has the same verdict and the same commands as runTemplate', async ([template]) => {
    const ran = await run({ 'a.template.json': { template }, 'once.sh': once });
    const direct = await runTemplate(template, {}, { cwd: fresh('direct') });
    const reference = await runTemplate(template, {}, { cwd: fresh('reference'), compat: true });
    const toVerdict = (ok: boolean): string => (ok ? 'pass' : 'fail');
    expect(ran.summary.status).toBe(toVerdict(direct.ok));
    expect(ran.summary.verdicts).toEqual({ honest: toVerdict(direct.ok), compat: toVerdict(reference.ok) });
    // runTemplate counts the attempts of a single command as one call, unless there is a repair between them.
    const tries = JSON.stringify(template).includes('recover') ? 9 : 0;
    const { lines } = readJournal(ran.file('journal.jsonl').trimEnd().split('\n'));
    const begun = lines.filter((line) => line.t === 'begin' && line.action === 'rw.exec' && line.decision?.skip === undefined);
    expect(begun.filter(({ attempt }) => attempt <= tries).length).toBe(direct.calls.length);
  });

  test('a template recipe that ends its run in an attempt is not retried, and fails for the reference too', async () => {
    const branches = { failure: 'root', parallel: true, template: ['true', 'false'] };
    const ran = await run({ 'a.template.json': { template: ['true', branches], retry: 2 } });
    expect(ran.summary.verdicts).toEqual({ honest: 'fail', compat: 'fail' });
  });
});
