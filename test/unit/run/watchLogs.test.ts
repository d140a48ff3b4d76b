// watch_logs waits for a text in what the run itself caused to be written (reference 1.1, 6).
import { describe, expect, test } from 'vitest';
import { recipeOf, withIntents } from '../../support/plain.js';
import { runExtended } from '../../support/runExtended.js';

const write = (cmd: string, rest: object = {}) => ({ action: 'command', cmd, next: 'watch', ...rest });
const watch = (fields: object = {}) => ({ action: 'watch_logs', path: 'app.log', contains: 'paid', next: 'done', ...fields });
const together = (nodes: Record<string, Record<string, unknown>>) => ({
  action: 'rw.group',
  order: 'together',
  body: { nodes: withIntents(nodes) },
  next: 'done',
});
/** Writes once while another node watches. */
const beside = (cmd: string, fields: object = {}) => {
  const { next: _, ...watching } = watch(fields);
  return recipeOf({ both: together({ write: { action: 'command', cmd }, watch: watching }) });
};
const files = { 'app.log': 'order 1 paid\n' };

describe('in the scope of the run', () => {
  test('a line of this run is found', async () => {
    const recipe = recipeOf({ first: write('echo order 2 paid >> app.log'), watch: watch() });
    const { summary, trace } = await runExtended(recipe, { files });
    expect(summary.status).toBe('pass');
    expect(trace[1]?.output).toEqual({ path: 'app.log', matched: true, scope: 'run', offset: 13, bytesScanned: 13 });
  });

  test('a line of an earlier run is not, however long it is waited for', async () => {
    const recipe = recipeOf({ first: write('echo order 2 open >> app.log'), watch: watch({ timeout_ms: 800 }) });
    const started = performance.now();
    const { summary, trace, exitCode } = await runExtended(recipe, { files });
    expect(performance.now() - started).toBeGreaterThan(400);
    expect({ exitCode, status: summary.status }).toEqual({ exitCode: 1, status: 'fail' });
    expect(trace[1]?.error).toContain('does not contain "paid" in what was written since the run began');
    expect(trace[1]?.output).toMatchObject({ matched: false, offset: 13, bytesScanned: 13 });
  });

  test('what is written before a flow is called is part of the run', async () => {
    const nodes = { ...withIntents({ watch: watch({ next: 'ok' }) }), ok: { action: 'end', status: 'pass' } };
    const flows = { 'shop.paid': { version: 1, description: 'Watches', workflow: { entry: 'watch', nodes } } };
    const call = { action: 'call', ref: 'shop.paid', next: 'done' };
    const recipe = recipeOf({ first: write('echo order 2 paid >> app.log', { next: 'call' }), call }, { flows });
    expect((await runExtended(recipe, { files })).summary.status).toBe('pass');
  });

  test('the whole file is looked at where the author asks for it', async () => {
    const { trace } = await runExtended(recipeOf({ watch: watch({ scope: 'file' }) }), { files });
    expect(trace[0]?.output).toMatchObject({ matched: true, scope: 'file', offset: 0 });
  });

  test('a file that was begun anew is read from its start', async () => {
    const recipe = recipeOf({ first: write('echo paid > app.log'), watch: watch() });
    expect((await runExtended(recipe, { files })).summary.status).toBe('pass');
  });
});

describe('while it waits', () => {
  test.for([
    ['a line that comes later', 'sleep 0.4; echo order 2 paid >> app.log'],
    ['a text that is written in two halves', 'printf "order pa" >> app.log; sleep 0.4; printf "id\\n" >> app.log'],
    ['a text behind several megabytes', 'head -c 5000000 /dev/zero | tr "\\0" x >> app.log; echo paid >> app.log'],
  ] as const)('%s is found', async ([, cmd]) => {
    expect((await runExtended(beside(cmd), { files })).summary.status).toBe('pass');
  });

  test('a file that appears later is found', async () => {
    expect((await runExtended(beside('sleep 0.4; echo paid > new.log', { path: 'new.log' }))).summary.status).toBe('pass');
  });

  test('letters of several bytes are found across two writes', async () => {
    const recipe = beside('printf "gr\\303" >> app.log; sleep 0.3; printf "\\274n\\n" >> app.log', { contains: 'grün' });
    expect((await runExtended(recipe, { files })).summary.status).toBe('pass');
  });

  test('it stops when the run does', async () => {
    const nodes = {
      watch: { ...watch({ timeout_ms: 20_000 }), next: undefined },
      fail: { action: 'command', cmd: 'exit 3', rw: { on_fail: 'abort' } },
    };
    const started = performance.now();
    const { summary } = await runExtended(recipeOf({ both: together(nodes) }));
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(summary.status).toBe('fail');
  });
});

describe('a watch', () => {
  test('without a text looks once and proves nothing', async () => {
    const { trace, summary } = await runExtended(recipeOf({ watch: watch({ contains: undefined }) }), { files });
    expect(trace[0]?.output).toMatchObject({ matched: null });
    expect(summary.status).toBe('unknown');
  });

  test('of a file that never comes says so', async () => {
    const { trace } = await runExtended(recipeOf({ watch: watch({ path: 'none.log', timeout_ms: 400 }) }));
    expect(trace[0]?.error).toContain('none.log does not exist');
  });

  test('counts as proof of its claim', async () => {
    const recipe = recipeOf(
      { first: write('echo paid >> app.log'), watch: watch({ proofTarget: 'AC1' }) },
      { proofTargets: [{ id: 'AC1', claim: 'It is paid.' }] },
    );
    const { summary, trace } = await runExtended(recipe);
    expect(summary).toMatchObject({ status: 'pass', proof: [{ id: 'AC1', status: 'proven', held: 1 }] });
    expect(trace[1]).toMatchObject({ phase: 'assert', proofTarget: 'AC1' });
  });

  test.for(['../app.log', '/etc/passwd', 'a/../../b.log'])('cannot leave the project by its path: %s', async (path) => {
    expect((await runExtended(recipeOf({ watch: watch({ path }) }))).exitCode).toBe(2);
  });

  test('cannot leave the project through a link, even when the text is there', async () => {
    const recipe = recipeOf({ first: write('ln -s /etc/passwd app.log'), watch: watch({ contains: 'root', scope: 'file' }) });
    const { trace } = await runExtended(recipe);
    expect(trace[1]).toMatchObject({ ok: false, error: expect.stringContaining('leads out of the project') });
  });
});
