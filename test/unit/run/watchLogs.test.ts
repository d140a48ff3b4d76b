// watch_logs waits for a string in the part of a log that was written during the run (reference 1.1, 6).
import { describe, expect, test } from 'vitest';
import { cliProject } from '../../support/cli.js';
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
/** Runs the command while another node watches. */
const beside = (cmd: string, fields: object = {}) => {
  const { next: _, ...watchNode } = watch(fields);
  return recipeOf({ both: together({ write: { action: 'command', cmd }, watch: watchNode }) });
};
const files = { 'app.log': 'order 1 paid\n' };

describe('the scope of watch_logs', () => {
  test('watch_logs finds a line that was written during the run', async () => {
    const recipe = recipeOf({ first: write('echo order 2 paid >> app.log'), watch: watch() });
    const { summary, trace } = await runExtended(recipe, { files });
    expect(summary.status).toBe('pass');
    expect(trace[1]?.output).toEqual({ path: 'app.log', matched: true, scope: 'run', offset: 13, bytesScanned: 13 });
  });

  test('watch_logs waits until its timeout and does not find a line of an earlier run', async () => {
    const recipe = recipeOf({ first: write('echo order 2 open >> app.log'), watch: watch({ timeout_ms: 800 }) });
    const started = performance.now();
    const { summary, trace, exitCode } = await runExtended(recipe, { files });
    expect(performance.now() - started).toBeGreaterThan(400);
    expect({ exitCode, status: summary.status }).toEqual({ exitCode: 1, status: 'fail' });
    expect(trace[1]?.error).toContain('does not contain "paid" in the content written since the run began');
    expect(trace[1]?.output).toMatchObject({ matched: false, offset: 13, bytesScanned: 13 });
  });

  test('watch_logs finds a string that begins in an old line and ends in a new one', async () => {
    const recipe = recipeOf({ first: write('echo ced >> app.log'), watch: watch({ contains: 'order placed' }) });
    const { summary, trace } = await runExtended(recipe, { files: { 'app.log': 'order pla' } });
    expect(summary.status).toBe('pass');
    expect(trace[1]?.output).toMatchObject({ matched: true, offset: 9, bytesScanned: 4 });
  });

  test('watch_logs in a flow finds a line that was written before the call', async () => {
    const nodes = { ...withIntents({ watch: watch({ next: 'ok' }) }), ok: { action: 'end', status: 'pass' } };
    const flows = { 'shop.paid': { version: 1, description: 'Watches', workflow: { entry: 'watch', nodes } } };
    const call = { action: 'call', ref: 'shop.paid', next: 'done' };
    const recipe = recipeOf({ first: write('echo order 2 paid >> app.log', { next: 'call' }), call }, { flows });
    expect((await runExtended(recipe, { files })).summary.status).toBe('pass');
  });

  test('watch_logs with the scope "file" searches the whole file', async () => {
    const { trace } = await runExtended(recipeOf({ watch: watch({ scope: 'file' }) }), { files });
    expect(trace[0]?.output).toMatchObject({ matched: true, scope: 'file', offset: 0 });
  });

  test('watch_logs reads a file from its start after a command overwrites it', async () => {
    const recipe = recipeOf({ first: write('echo paid > app.log'), watch: watch() });
    expect((await runExtended(recipe, { files })).summary.status).toBe('pass');
  });
});

describe('a log that was replaced since the run began', () => {
  const long = `order 1 paid\n${'noise\n'.repeat(20)}`;
  const asPrintf = long.replaceAll('\n', '\\n');
  const inSetup = (cmd: string, first: string) =>
    recipeOf(
      { first: write(first), watch: watch({ timeout_ms: 60_000 }) },
      { workflow: { setup: [{ id: 'clean', action: 'command', intent: 'Begin with no log', cmd }] } },
    );
  const inOneNode = (cmd: string, timeout_ms = 60_000) => recipeOf({ first: write(cmd), watch: watch({ timeout_ms }) });

  test.for([
    ['removed in setup and written again with the same length', 'rm app.log', `printf '${asPrintf}' > app.log`],
    ['removed in setup and written again with more lines', 'rm app.log', `printf '${asPrintf}more\\n' > app.log`],
    ['removed in setup and written again with fewer lines', 'rm app.log', 'echo order 1 paid > app.log'],
    ['emptied in setup and written again with the same line', ': > app.log', 'echo order 1 paid >> app.log'],
  ] as const)('watch_logs treats a log as new after it was %s', async ([, clean, first]) => {
    const { summary, trace } = await runExtended(inSetup(clean, first), { files: { 'app.log': long } });
    expect(summary.status).toBe('pass');
    expect(trace.find(({ nodeId }) => nodeId === 'watch')?.output).toMatchObject({ matched: true, offset: 0 });
  });

  test.for([
    [
      'emptied and written again with more lines',
      `: > app.log; for i in 1 2 3 4 5 6 7 8 9; do echo order 2$i paid >> app.log; done`,
    ],
    ['rewritten with the same content', `cp app.log copy; cat copy > app.log`],
    ['renamed and replaced by a new file', 'mv app.log app.log.1; echo order 2 paid > app.log'],
    ['rewritten after another first line', `printf 'pid 2\\n${asPrintf}' > app.log`],
    ['overwritten with a line that begins like an old one', 'echo order 1 paid twice > app.log'],
  ] as const)('watch_logs treats a log as new after one node has %s it', async ([, cmd]) => {
    const { summary } = await runExtended(inOneNode(cmd), { files: { 'app.log': long } });
    expect(summary.status).toBe('pass');
  });

  test.for([
    ['its first lines', 'head -n 2 app.log > x; cat x > app.log', 'order 1 paid\nnoise\nnoise\nnoise\n'],
    ['its first lines, in another file', 'head -n 2 app.log > x; mv x app.log', 'order 1 paid\nnoise\nnoise\nnoise\n'],
    ['its last lines', 'tail -n 2 app.log > x; cat x > app.log', 'noise\nnoise\nother\norder 1 paid\n'],
    ['some of its lines', 'grep paid app.log > x; cat x > app.log', 'noise\norder 1 paid\nnoise\n'],
    [
      'its last lines, and a new one',
      'tail -n 2 app.log > x; echo new >> x; mv x app.log',
      'noise\nnoise\nother\norder 1 paid\n',
    ],
    ['half a line', 'head -c 14 app.log > x; cat x > app.log', 'order 1 paid, and shipped\nnoise\n'],
    ['all of its lines, and a new one', 'cp app.log x; echo new >> x; mv x app.log', 'order 1 paid\nnoise\n'],
  ] as const)('watch_logs finds nothing in the old lines when a node keeps %s', async ([, cmd, before]) => {
    const { summary, trace } = await runExtended(inOneNode(cmd, 400), { files: { 'app.log': before } });
    expect(summary.status).toBe('fail');
    expect(trace[1]?.error).toContain('remove or empty it in setup');
  });

  test('watch_logs finds a new line after the old lines that a node kept', async () => {
    const before = 'order 1 open\nnoise\nnoise\n';
    const recipe = inOneNode('head -n 1 app.log > x; echo order 2 paid >> x; mv x app.log');
    const { summary, trace } = await runExtended(recipe, { files: { 'app.log': before } });
    expect(summary.status).toBe('pass');
    expect(trace[1]?.output).toMatchObject({ offset: 13, bytesScanned: 13 });
  });

  test('watch_logs fails with advice when one node rewrites the old lines in place and adds a line', async () => {
    const { summary, trace } = await runExtended(inOneNode('cp app.log x; echo new >> x; cat x > app.log', 400), { files });
    expect(summary.status).toBe('fail');
    expect(trace[1]?.error).toContain('remove or empty it in setup');
  });

  test('a recipe that empties its own log passes every time it runs', async () => {
    const line =
      "echo 'INFO order placed' > tmp/wl/a.log; for i in 1 2 3 4 5 6 7 8 9; do echo 'INFO something else' >> tmp/wl/a.log; done";
    const removes = recipeOf(
      { first: write(line), watch: watch({ path: 'tmp/wl/a.log', contains: 'order placed', timeout_ms: 60_000 }) },
      {
        workflow: { setup: [{ id: 'clean', action: 'command', intent: 'Begin anew', cmd: 'rm -rf tmp/wl && mkdir -p tmp/wl' }] },
      },
    );
    const overwrites = recipeOf({
      first: write(`mkdir -p tmp/wl; ${line}`),
      watch: watch({ path: 'tmp/wl/a.log', contains: 'order placed', timeout_ms: 60_000 }),
    });
    const project = cliProject({ 'removes.recipe.json': removes, 'overwrites.recipe.json': overwrites });
    const run = (name: string, out: string) => project.run('run', '--recipe', `${name}.recipe.json`, '--artifacts-dir', out);
    for (const name of ['removes', 'overwrites'])
      for (const time of ['first', 'second', 'third']) {
        const { exitCode, stderr } = await run(name, `${name}-${time}`);
        expect({ name, time, exitCode, stderr }).toMatchObject({ exitCode: 0 });
      }
  });

  test('watch_logs notices that a log is truncated while it waits', async () => {
    const before = 'order 1 paid\nnoise\nnoise\n';
    const cmd = 'echo a >> app.log; sleep 0.3; head -n 1 app.log > x; mv x app.log; sleep 0.3; echo order 2 shipped >> app.log';
    const newLine = await runExtended(beside(cmd, { contains: 'shipped' }), { files: { 'app.log': before } });
    expect(newLine.summary.status).toBe('pass');
    const oldLine = await runExtended(beside(cmd, { timeout_ms: 1_500 }), { files: { 'app.log': before } });
    expect(oldLine.summary.status).toBe('fail');
  });
});

describe('a file that was last written before the run began', () => {
  const old = 'touch -t 200101010000 2.log;';
  const inTwoNodes = (first: string, second: string, fields: object = {}) =>
    recipeOf({ first: write(first, { next: 'second' }), second: write(second), watch: watch({ timeout_ms: 400, ...fields }) });

  test.for([
    ['is moved away and back', 'mv app.log app.log.b', 'mv app.log.b app.log', {}],
    ['replaces another file', `${old} ln -sfn 2.log app.log`, 'true', {}],
    ['replaces another file and gets another line', `${old} ln -sfn 2.log app.log`, 'echo order 2 open >> app.log', {}],
    ['is moved to a new path', `${old} mv 2.log new.log`, 'echo order 2 open >> new.log', { path: 'new.log' }],
  ] as const)('watch_logs finds nothing in the old lines of a file that %s', async ([, first, second, fields]) => {
    const { summary, trace } = await runExtended(inTwoNodes(first, second, fields), {
      files: { ...files, '2.log': 'order 7 paid\n' },
    });
    expect({ status: summary.status, error: trace[2]?.error }).toEqual({
      status: 'fail',
      error: expect.stringContaining('remove or empty it in setup'),
    });
  });

  test('watch_logs finds a new line in an old file that replaced the log', async () => {
    const recipe = inTwoNodes(`${old} ln -sfn 2.log app.log`, 'echo order 2 paid >> app.log', { timeout_ms: 60_000 });
    const { summary, trace } = await runExtended(recipe, { files: { ...files, '2.log': 'order 7 paid\n' } });
    expect(summary.status).toBe('pass');
    expect(trace[2]?.output).toMatchObject({ offset: 13, bytesScanned: 13 });
  });
});

describe('while watch_logs waits', () => {
  test.for([
    ['a line that is written later', 'sleep 0.4; echo order 2 paid >> app.log'],
    ['a string that is written in two halves', 'printf "order pa" >> app.log; sleep 0.4; printf "id\\n" >> app.log'],
    ['a string after several megabytes', 'head -c 5000000 /dev/zero | tr "\\0" x >> app.log; echo paid >> app.log'],
  ] as const)('watch_logs finds %s', async ([, cmd]) => {
    expect((await runExtended(beside(cmd), { files })).summary.status).toBe('pass');
  });

  test('watch_logs finds a line in a file that is created later', async () => {
    expect((await runExtended(beside('sleep 0.4; echo paid > new.log', { path: 'new.log' }))).summary.status).toBe('pass');
  });

  test('watch_logs finds a character of several bytes that is written in two parts', async () => {
    const recipe = beside('printf "gr\\303" >> app.log; sleep 0.3; printf "\\274n\\n" >> app.log', { contains: 'grün' });
    expect((await runExtended(recipe, { files })).summary.status).toBe('pass');
  });

  test('watch_logs stops waiting when the run is aborted', async () => {
    const nodes = {
      watch: { ...watch({ timeout_ms: 3_600_000 }), next: undefined },
      fail: { action: 'command', cmd: 'exit 3', rw: { on_fail: 'abort' } },
    };
    const { summary } = await runExtended(recipeOf({ both: together(nodes) }));
    expect(summary.status).toBe('fail');
  });
});

describe('the fields of watch_logs', () => {
  test('watch_logs without "contains" reads the log once and proves nothing', async () => {
    const { trace, summary } = await runExtended(recipeOf({ watch: watch({ contains: undefined }) }), { files });
    expect(trace[0]?.output).toMatchObject({ matched: null });
    expect(summary.status).toBe('unknown');
  });

  test('the error of watch_logs says that the file does not exist', async () => {
    const { trace } = await runExtended(recipeOf({ watch: watch({ path: 'none.log', timeout_ms: 400 }) }));
    expect(trace[0]?.error).toContain('none.log does not exist');
    const pattern = await runExtended(recipeOf({ watch: watch({ path: 'logs/*.log', timeout_ms: 400 }) }));
    expect(pattern.trace[0]?.error).toContain('patterns with * or ? are not supported');
  });

  test('watch_logs proves its claim', async () => {
    const recipe = recipeOf(
      { first: write('echo paid >> app.log'), watch: watch({ proofTarget: 'AC1' }) },
      { proofTargets: [{ id: 'AC1', claim: 'It is paid.' }] },
    );
    const { summary, trace } = await runExtended(recipe);
    expect(summary).toMatchObject({ status: 'pass', proof: [{ id: 'AC1', status: 'proven', held: 1 }] });
    expect(trace[1]).toMatchObject({ phase: 'assert', proofTarget: 'AC1' });
  });

  test.for(['../app.log', '/etc/passwd', 'a/../../b.log'])(
    'watch_logs with the path %s outside the project is refused',
    async (path) => {
      expect((await runExtended(recipeOf({ watch: watch({ path }) }))).exitCode).toBe(2);
    },
  );

  test('watch_logs fails for a link out of the project, although the file contains the string', async () => {
    const recipe = recipeOf({ first: write('ln -s /etc/passwd app.log'), watch: watch({ contains: 'root', scope: 'file' }) });
    const { trace } = await runExtended(recipe);
    expect(trace[1]).toMatchObject({ ok: false, error: expect.stringContaining('is outside the project') });
  });
});
