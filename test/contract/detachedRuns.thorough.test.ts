// Detached runs, with the real command line and real processes.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { cliProject, type Project } from '../support/cli.js';
import { isAlive } from '../support/isAlive.js';
import { filesBelow } from '../support/packages.js';

const program = join(import.meta.dirname, '../../dist/cli.js');
const manifest = { 'package.json': { name: 'inline', private: true } };

type StatusJson = { status: string; completed: number; failures: unknown[]; result?: { verdict: string; exit_code: number } };

function project(files: Record<string, unknown>): Project & { state(run: string, name: string): string } {
  const cli = cliProject({ ...manifest, ...files });
  const state = (run: string, name: string): string => {
    const file = join(cli.dir, '.recipewright/runs', run, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  // Cancels the runs that a test left running. A run with a result and without a process has ended.
  const isOver = (run: string): boolean => {
    const runner = state(run, 'runner.json');
    return state(run, 'result.json') !== '' && runner !== '' && !isAlive((JSON.parse(runner) as { pid: number }).pid);
  };
  onTestFinished(async () => {
    for (const run of ['a', 'b', 'child', 'parent'])
      if (state(run, 'run.json') !== '' && !isOver(run)) await cli.run('cancel', run);
  });
  return { ...cli, state };
}

async function awaitStatus({ run }: Project, id: string): Promise<StatusJson & { exitCode: number | null }> {
  const { stdout, stderr, exitCode } = await run('status', id, '--wait', '--json');
  expect(stderr).toBe('');
  return { ...(JSON.parse(stdout) as StatusJson), exitCode };
}

const eventsOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Returns the pid that a command wrote to a file. */
async function pidIn({ dir }: Project): Promise<number> {
  const file = join(dir, 'pid');
  const readPidFile = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  await expect.poll(readPidFile).toMatch(/^\d+\n$/);
  return Number(readPidFile());
}

describe('a detached run', () => {
  test('a detached run outlives the start command and writes events, logs, a status, a result and a package', async () => {
    const { dir, run, state, ...rest } = project({
      'a.json': { async: true, args: ['word'], template: ['printf {word}', "sh -c 'cat; echo oops >&2'"] },
    });
    const started = await run('start', 'a.json', '--input', 'word=hello', '--json');
    expect(started).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(started.stdout)).toEqual({ status: 'started', run: 'a', stateDir: join(dir, '.recipewright/runs/a') });
    expect(await awaitStatus({ dir, run, ...rest }, 'a')).toMatchObject({
      ...{ exitCode: 0, status: 'done', completed: 2, failures: [] },
      result: { verdict: 'pass', exit_code: 0 },
    });
    const types = eventsOf(state('a', 'events.jsonl')).map(({ type }) => type);
    const commands = ['command.start', 'command.done', 'command.start', 'command.done'];
    expect(types).toEqual(['run.start', 'run.runner.start', ...commands, 'run.done']);
    const logs = await run('logs', 'a');
    expect(logs).toMatchObject({ exitCode: 0, stdout: 'hellohello', stderr: 'oops\n' });
    expect(verifyPackage(join(dir, '.recipewright/runs/a/package'), { projectRoot: dir })).toMatchObject({ verdict: 'pass' });
    expect(JSON.parse(state('a', 'run.json'))).toMatchObject({
      recipe_context_records: [{ name: 'a', role: 'entry', depth: 0 }],
    });
  });

  test('a detached run fails when its last step fails, although the reference reports it as done', async () => {
    const cli = project({ 'a.json': { async: true, template: ['true', 'sh -c "exit 3"'] } });
    await cli.run('start', 'a.json');
    const status = await awaitStatus(cli, 'a');
    expect(status).toMatchObject({ exitCode: 1, status: 'failed', result: { verdict: 'fail', exit_code: 1 } });
    expect(status.failures).toMatchObject([{ path: 'template/step-2', argv: ['sh', '-c', 'exit 3'] }]);
    expect(eventsOf(cli.state('a', 'events.jsonl')).find(({ exit_code: code }) => code === 3)).toMatchObject({ ok: false });
  });

  test('several simultaneous start commands start a detached run once, and the next start clears its state', async () => {
    const cli = project({ 'a.json': { async: true, template: "sh -c 'while test ! -e go; do sleep 0.05; done'" } });
    const all = await Promise.all(Array.from({ length: 5 }, () => cli.run('start', 'a.json')));
    expect(all.filter(({ exitCode }) => exitCode === 0).length).toBe(1);
    for (const { exitCode, stderr } of all)
      if (exitCode !== 0) expect(stderr).toMatch(/Another process is starting the run a|already has an active owned process: a/);
    expect(await cli.run('status', 'a')).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('a: running') as string });
    writeFileSync(join(cli.dir, 'go'), '');
    expect((await awaitStatus(cli, 'a')).status).toBe('done');
    expect((await cli.run('start', 'a.json')).exitCode).toBe(0);
    expect((await awaitStatus(cli, 'a')).status).toBe('done');
    expect(eventsOf(cli.state('a', 'events.jsonl')).filter(({ type }) => type === 'run.start').length).toBe(1);
  });

  test('a detached run whose start command died can be started again, but only once at the same time', async () => {
    const cli = project({ 'a.json': { async: true, template: 'true' } });
    await cli.run('start', 'a.json');
    await awaitStatus(cli, 'a');
    const place = join(cli.dir, '.recipewright/runs');
    for (const name of ['runner.json', 'result.json']) rmSync(join(place, 'a', name));
    // The pid is that of a running process that began later.
    writeFileSync(join(place, 'a.lock'), JSON.stringify({ pid: process.pid, since: '1', token: 'dead' }));
    expect(await awaitStatus(cli, 'a')).toMatchObject({ exitCode: 4, status: 'crashed' });
    const all = await Promise.all(Array.from({ length: 4 }, () => cli.run('start', 'a.json')));
    expect(all.filter(({ exitCode }) => exitCode === 0).length).toBeGreaterThan(0);
    expect((await awaitStatus(cli, 'a')).status).toBe('done');
    expect(eventsOf(cli.state('a', 'events.jsonl')).filter(({ type }) => type === 'run.runner.start').length).toBe(1);
    expect(readdirSync(place).filter((name) => name.startsWith('a.lock'))).toEqual([]);
  });

  test('status and logs work whatever the commands of a detached run write to its files', async () => {
    const spoil = 'for f in events children status; do echo "not json" >> "$1/$f.jsonl"; done; echo null >> "$1/children.jsonl"';
    const strike = `echo '{"failures":[null],"active":3}' > "$1/status.json"; kill -9 $(sed -n 's/.*"pid": \\([0-9]*\\).*/\\1/p' "$1/runner.json")`;
    const cli = project({ 'a.json': { async: true, template: 'sh spoil.sh {state_dir}' }, 'spoil.sh': `${spoil}\n${strike}\n` });
    await cli.run('start', 'a.json');
    expect(await awaitStatus(cli, 'a')).toMatchObject({ exitCode: 4, status: 'crashed' });
    expect((await cli.run('status', 'a')).stderr).toBe('');
    const { events } = JSON.parse((await cli.run('logs', 'a', '--json')).stdout) as { events: object[] };
    expect(events).toContainEqual({ type: 'unreadable', text: 'not json' });
    expect(await cli.run('cancel', 'a')).toMatchObject({ stderr: '' });
  });

  test('logs shows the complete output of a command while the command runs', async () => {
    const command = 'echo early; while test ! -e go; do sleep 0.05; done; head -c 200000 /dev/zero | tr "\\0" x; echo late >&2';
    const cli = project({ 'a.json': { async: true, template: ['sh talk.sh', 'wc -c'] }, 'talk.sh': command });
    await cli.run('start', 'a.json');
    const place = join(cli.dir, '.recipewright/runs/a');
    const isWritten = () => filesBelow(place).some((name) => readFileSync(join(place, name), 'utf8').includes('early'));
    await expect.poll(isWritten).toBe(true);
    expect((await cli.run('logs', 'a')).stdout).toBe('early\n');
    expect((await cli.run('status', 'a')).stdout).toContain('a: running');
    writeFileSync(join(cli.dir, 'go'), '');
    expect((await awaitStatus(cli, 'a')).status).toBe('done');
    const { stdout, stderr } = await cli.run('logs', 'a');
    expect([stdout.length, stdout.trimEnd().endsWith('x200006'), stderr]).toEqual([6 + 200_000 + 7, true, 'late\n']);
  });

  describe('with a secret', () => {
    async function startWithSecret(command: string): Promise<ReturnType<typeof project>> {
      const nodes = {
        a: { action: 'command', intent: 'Say it', argv: ['sh', 'say.sh'], env: { WORD: '{{word}}' }, next: 'b' },
        b: { action: 'end', status: 'pass' },
      };
      const inputs = { word: { type: 'secret-ref', ref: 'file:word' } };
      const recipe = { schema_version: 1, title: 'secret', inputs, validate: { workflow: { entry: 'a', nodes } } };
      const cli = project({ 'a.recipe.json': recipe, 'say.sh': command, word: 'sesame-open-1234' });
      expect(await cli.run('start', 'a.recipe.json', '--run', 'a')).toMatchObject({ exitCode: 0 });
      expect((await awaitStatus(cli, 'a')).status).toBe('done');
      return cli;
    }

    test('the logs of a detached run contain no secret, even if a command writes it in pieces', async () => {
      const cli = await startWithSecret('printf "sesame-"; sleep 0.3; printf "open-1234 %s\\n" after');
      expect((await cli.run('logs', 'a')).stdout).toMatch(/^\[[^\]]+\] after\n$/);
    });

    test('the messages of a detached run contain no secret', async () => {
      const message = '{\\"type\\":\\"note $WORD\\",\\"in\\":[{\\"$WORD\\":\\"$WORD\\"}]}';
      const cli = await startWithSecret(
        `for m in "${message}" "no object $WORD"; do echo "$m" >> "$RECIPEWRIGHT_STATE_DIR/outbox.jsonl"; done`,
      );
      const messages = eventsOf(cli.state('a', 'events.jsonl')).filter(({ type }) => type === 'run.message');
      const mask = '[secret:word]';
      expect(messages).toMatchObject([
        { message: { type: `note ${mask}`, in: [{ [mask]: mask }] } },
        { text: `no object ${mask}`, problem: expect.any(String) as string },
      ]);
      const files = readdirSync(join(cli.dir, '.recipewright'), { recursive: true, withFileTypes: true });
      const contents = files
        .filter((file) => file.isFile())
        .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'));
      expect(contents.length).toBeGreaterThan(5);
      expect(contents.filter((text) => text.includes('sesame'))).toEqual([]);
    });
  });

  test('cancel ends every process of a detached run, even one that left its group and ignores signals', async () => {
    const stubborn = `setsid sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 0.1; done'`;
    const cli = project({ 'a.json': { async: true, template: ['sh stubborn.sh', 'touch after'] }, 'stubborn.sh': stubborn });
    await cli.run('start', 'a.json');
    const pid = await pidIn(cli);
    expect(isAlive(pid)).toBe(true);
    const cancelled = await cli.run('cancel', 'a', '--json');
    expect(JSON.parse(cancelled.stdout)).toEqual({ run: 'a', stopped: true, state: 'cancelled' });
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(cli.dir, 'after'))).toBe(false);
    expect(await awaitStatus(cli, 'a')).toMatchObject({ exitCode: 143, status: 'cancelled', result: { verdict: 'unknown' } });
    expect(await cli.run('cancel', 'a')).toMatchObject({ exitCode: 1, stdout: 'a is cancelled: not running\n' });
  });

  test('a detached run whose process was killed has crashed and never passes, and cancel ends its commands', async () => {
    const cli = project({ 'a.json': { async: true, template: "sh -c 'echo $$ > pid; exec sleep 600'" } });
    await cli.run('start', 'a.json');
    const command = await pidIn(cli);
    const { pid } = JSON.parse(cli.state('a', 'runner.json')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    const status = await awaitStatus(cli, 'a');
    expect(status).toMatchObject({ exitCode: 4, status: 'crashed' });
    expect(status.result).toBeUndefined();
    expect(isAlive(command)).toBe(true);
    expect(await cli.run('cancel', 'a')).toMatchObject({ exitCode: 0, stdout: 'a: crashed\n' });
    expect(isAlive(command)).toBe(false);
    expect(await awaitStatus(cli, 'a')).toMatchObject({ status: 'crashed' });
  });

  test('a command cannot make its detached run pass by writing the result, during the run or after killing the runner', async () => {
    const forged = JSON.stringify({ run: 'a', status: 'done', verdict: 'pass', reason: 'it passed', exit_code: 0 });
    const forge = `printf %s '${forged}' > "$1/result.json"; touch forged; while test ! -e go; do sleep 0.05; done`;
    const strike = `kill -9 $(sed -n 's/.*"pid": \\([0-9]*\\).*/\\1/p' "$1/runner.json")`;
    const cli = project({
      'a.json': { async: true, template: 'sh forge.sh {state_dir}' },
      'forge.sh': `${forge}\n${strike}\n`,
    });
    await cli.run('start', 'a.json');
    await expect.poll(() => existsSync(join(cli.dir, 'forged'))).toBe(true);
    expect((await cli.run('status', 'a')).exitCode).toBe(1);
    writeFileSync(join(cli.dir, 'go'), '');
    expect(await awaitStatus(cli, 'a')).toMatchObject({ exitCode: 4, status: 'crashed' });
  });

  test('start reports a broken recipe and a missing value before it starts a process', async () => {
    const cli = project({ 'a.json': { async: true, template: 'echo {word}' }, 'b.json': { disabled: true, template: 'true' } });
    const missing = await cli.run('start', 'a.json');
    expect(missing).toMatchObject({ exitCode: 2, stdout: '' });
    expect(missing.stderr).toContain('inputs.missing_value');
    expect((await cli.run('start', 'b.json')).stderr).toContain('Template recipe is disabled');
    expect((await cli.run('start', 'a.json', '--run', '../x')).stderr).toContain('Run id may contain only letters');
    expect(existsSync(join(cli.dir, '.recipewright/runs'))).toBe(false);
    expect(await cli.run('status', 'a')).toMatchObject({ exitCode: 2 });
  });

  test('start never clears a directory that is not a state directory', async () => {
    const cli = project({ 'a.json': { async: true, template: 'true' } });
    const { stderr, exitCode } = await cli.run('start', 'a.json', '--state-dir', '.');
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('holds no run') as string });
    expect(existsSync(join(cli.dir, 'a.json'))).toBe(true);
  });

  test('start counts the use of a recipe if the config says so, and starts again at 1 when the recipe changes', async () => {
    const config = "export default { templates: { userRoot: '.', usage: 'beside' } };\n";
    const cli = project({ 'a.json': { template: 'true' }, 'b.json': { template: 'true' }, 'recipewright.config.mjs': config });
    const usage = (): unknown => JSON.parse(readFileSync(join(cli.dir, '.usage/a.json.json'), 'utf8'));
    const text = readFileSync(join(cli.dir, 'a.json'), 'utf8');
    for (const calls of [1, 2]) {
      expect((await cli.run('start', 'a.json')).exitCode).toBe(0);
      expect((await awaitStatus(cli, 'a')).status).toBe('done');
      expect(usage()).toMatchObject({ calls, direct_calls: calls });
    }
    expect(readFileSync(join(cli.dir, 'a.json'), 'utf8')).toBe(text);
    expect(existsSync(join(cli.dir, '.usage/b.json.json'))).toBe(false);
    writeFileSync(join(cli.dir, 'a.json'), '{ "template": ["true"] }');
    await cli.run('start', 'a.json');
    expect(usage()).toMatchObject({ calls: 1, reset_reason: 'recipe content fingerprint changed' });
    await awaitStatus(cli, 'a');
  });

  test('the event log contains the messages of commands, with a warning for types that mailbox.emits does not name', async () => {
    const say = 'for t in branch.done other.thing; do echo "{\\"type\\":\\"$t\\"}" >> "$1"; done; echo nonsense >> "$1"';
    const cli = project({
      'a.json': { async: true, mailbox: { emits: ['branch.done'] }, template: 'sh say.sh {communication_file}' },
      'say.sh': say,
    });
    await cli.run('start', 'a.json');
    expect((await awaitStatus(cli, 'a')).status).toBe('done');
    const messages = eventsOf(cli.state('a', 'events.jsonl')).filter(({ type }) => type === 'run.message');
    expect(messages).toMatchObject([
      { message: { type: 'branch.done' } },
      { message: { type: 'other.thing' }, warning: 'mailbox.emits does not name "other.thing"' },
      { text: 'nonsense', problem: expect.any(String) as string },
    ]);
    expect(messages[0]?.warning).toBeUndefined();
  });

  test('a run ends the detached runs that its commands started, and the runs that those started', async () => {
    const begin = (name: string): string => `${process.execPath} ${program} start ${name}`;
    const cli = project({
      'a.template.json': { template: [begin('parent.json'), "sh -c 'while test ! -s pid; do sleep 0.05; done'"] },
      'parent.json': { async: true, template: [begin('child.json'), { delay: 600_000, template: 'true' }] },
      'child.json': { async: true, template: "sh -c 'echo $$ > pid; exec sleep 600'" },
    });
    const ran = await cli.run('run', '--recipe', 'a.template.json', '--artifacts-dir', 'out');
    expect(ran.exitCode).toBe(0);
    const runners = ['parent', 'child'].map((run) => (JSON.parse(cli.state(run, 'runner.json')) as { pid: number }).pid);
    expect([...runners, await pidIn(cli)].map(isAlive)).toEqual([false, false, false]);
    for (const run of ['parent', 'child']) expect((await awaitStatus(cli, run)).status).not.toBe('done');
  });

  test('a detached run retires when it only waits and its child runs have ended, and cancel ends its child runs', async () => {
    const begin = `${process.execPath} ${program} start child.json`;
    const waits = { delay: 600_000, template: 'true' };
    const cli = project({
      'parent.json': { async: true, retire_when: 'children_terminal', template: [begin, waits] },
      'b.json': { async: true, template: [begin, waits] },
      'child.json': { async: true, template: "sh -c 'while test ! -e go; do sleep 0.05; done'" },
    });
    await cli.run('start', 'b.json');
    await expect.poll(() => cli.state('b', 'children.jsonl')).toContain('child');
    await cli.run('cancel', 'b');
    expect(await awaitStatus(cli, 'child')).toMatchObject({ status: 'cancelled' });
    await cli.run('start', 'parent.json');
    await expect.poll(() => cli.state('parent', 'children.jsonl')).toContain('child');
    writeFileSync(join(cli.dir, 'go'), '');
    expect(await awaitStatus(cli, 'parent')).toMatchObject({ status: 'retired', exitCode: 1 });
    expect(await awaitStatus(cli, 'child')).toMatchObject({ status: 'done' });
  });
});
