// F25: a run that a signal ends still has packages, and none of them passes.
import { expect, onTestFinished, test } from 'vitest';
import { expectWhole } from '../support/evidence.js';
import { isAlive } from '../support/isAlive.js';
import { packageOf } from '../support/packages.js';
import { recipe, say, sound } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { vitestProject } from '../support/vitestProject.js';

const setup = setupFile({
  'lab.wait':
    "console.log('lab.wait waits'); await new Promise((done) => context.signal.addEventListener('abort', done)); return { output: {} };",
  'lab.hang': "console.log('lab.hang waits'); await new Promise(() => undefined);",
});

// One action ignores the signal, and the action in parallel to it ends.
test.for([
  ['SIGTERM', 143, ['lab.wait', 'lab.hang']],
  ['SIGHUP', 129, ['lab.wait']],
  ['SIGINT', 130, ['lab.wait']],
] as const)(
  'F25 %s ends the run with %i during %j, and its teardown and package are complete',
  async ([signal, exitCode, actions]) => {
    const waiting = actions.map((action) => [
      `recipes/${action}.recipe.json`,
      recipe({ before: say('alive'), last: { action }, after: say('never') }, { teardown: [say('bye')] }),
    ]);
    const project = vitestProject(
      { 'recipes.setup.js': setup, ...Object.fromEntries(waiting), 'recipes/b.recipe.json': sound() },
      { test: { maxWorkers: actions.length, disableConsoleIntercept: true } },
    );
    const { child, ended, sees } = project.start(['run']);
    for (const action of actions) await sees(`${action} waits`);
    child.kill(signal);
    const end = await ended;
    const run = project.after(end);
    expect({ exitCode: run.exitCode, signal: run.signal }).toEqual({ exitCode, signal: null });
    for (const action of actions) {
      const found = packageOf(run, `recipes/${action}`);
      expectWhole(found);
      expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'unknown' });
      expect(found.trace).toMatchObject([
        { nodeId: 'before', ok: true },
        { nodeId: 'last', ok: false },
        { nodeId: 'teardown:0', ok: true },
      ]);
    }
    const { declared, passed, failed, unknown, skipped } = run.suite?.totals ?? {};
    const all = actions.length + 1;
    expect([declared, failed, (passed ?? 0) + (unknown ?? 0) + (skipped ?? 0)]).toEqual([all, 0, all]);
    expect(run.success).not.toBe(true);
  },
);

const server = `
  import { writeFileSync } from 'node:fs';
  import { createServer } from 'node:http';
  createServer().listen(0, () => writeFileSync('server.pid', String(process.pid)));
`;

// A terminal sends Ctrl+C to every process of its group, and npm forwards the signal again.
test.for([
  ['SIGINT', 130, 1],
  ['SIGINT', 130, 2],
  ['SIGTERM', 143, 1],
] as const)(
  'F25 %s to the whole process group ends the run with %i, its teardown runs and no process is left (signals: %i)',
  async ([signal, exitCode, times]) => {
    const command = (cmd: string) => ({ action: 'command', cmd });
    const project = vitestProject({
      'server.mjs': server,
      'recipes/a.recipe.json': recipe(
        { wait: command('until test -s server.pid; do sleep 0.1; done; echo $$ > sleep.pid; exec sleep 1001') },
        { setup: [command('node server.mjs &')], teardown: [command('echo bye > teardown.txt')] },
      ),
    });
    const { child, ended } = project.start(['run']);
    await expect.poll(() => project.list('.')).toContain('sleep.pid');
    const pids = ['server.pid', 'sleep.pid'].map((name) => Number(project.read(name)));
    onTestFinished(() => pids.filter(isAlive).forEach((pid) => void process.kill(pid, 'SIGKILL')));
    for (let time = 0; time < times; time++) process.kill(-(child.pid as number), signal);
    const run = project.after(await ended);
    expect({ exitCode: run.exitCode, signal: run.signal }).toEqual({ exitCode, signal: null });
    expect(project.list('.')).toContain('teardown.txt');
    expect(pids.filter(isAlive)).toEqual([]);
    const { summary, trace } = packageOf(run, 'recipes/a');
    expect(summary.status).toBe('unknown');
    expect(trace.at(-1)).toMatchObject({ nodeId: 'teardown:0', ok: true });
    expect(run.suite?.totals).toMatchObject({ declared: 1, unknown: 1 });
  },
);
