// F55: the package, the suite, the reports of Vitest and the exit code agree.
import { expect, test } from 'vitest';
import { exit, hears, recipe, say } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { sharedRun, statusOf } from '../support/vitestProject.js';

const setup = `${setupFile({
  'lab.harness': "throw new TypeError('not a shop');",
  'lab.stray': "setTimeout(() => { throw new Error('uncaught'); }, 30); return { output: {} };",
}).replace(
  'actions: [',
  "preconditions: [{ id: 'lab.gate', description: 'The gate is open', check: () => false }],\n actions: [",
)}`;

const gated = (document: object): object => {
  const { validate } = document as { validate: { workflow: object } };
  return { ...document, validate: { workflow: { pre_conditions: ['lab.gate'], ...validate.workflow } } };
};

// One run for each verdict, so that the exit code follows from that verdict alone. An uncaught error fails a run by itself.
const runs = {
  pass: { nothing: recipe({ speak: say('hello') }) },
  fail: {
    'a product that fails': recipe({ leave: exit(9) }),
    'a gate that is closed': gated(recipe({ speak: say('hello') })),
    'a teardown that fails': recipe({ speak: say('hello') }, { teardown: [exit(1)] }),
  },
  unknown: {
    'a claim that nothing proves': recipe({ speak: say('hello', { proofTarget: 'AC1' }) }, { targets: ['AC1'] }),
    'an end that says unknown': recipe({ speak: say('hello'), over: { action: 'end', status: 'unknown' } }),
    'a tool that is missing': recipe({ run: { action: 'command', argv: ['no-such-program-anywhere'] } }),
    'a fault of the harness': recipe({ break: { action: 'lab.harness' } }),
  },
  stray: {
    'an uncaught error': recipe({
      stray: { action: 'lab.stray' },
      wait: { action: 'wait', duration_ms: 200 },
      speak: say('x'),
      listen: hears('speak', 'x'),
    }),
  },
} satisfies Record<string, Record<string, object>>;

const nameOf = (fault: string): string => fault.replaceAll(' ', '-');

const cases = Object.entries(runs).flatMap(([verdict, documents]) => {
  const files = Object.entries(documents).map(([fault, document]) => [`recipes/${nameOf(fault)}.recipe.json`, document]);
  const run = sharedRun({ 'recipes.setup.ts': setup, ...Object.fromEntries(files) });
  const status = verdict === 'stray' ? 'unknown' : (verdict as 'pass' | 'fail' | 'unknown');
  return Object.keys(documents).map((fault) => [fault, status, run, files.length] as const);
});

test.for(cases)(
  'F55 after %s the package has the verdict %s, and so have the suite, the report and the exit code',
  async ([fault, status, runOnce, count]) => {
    const run = await runOnce();
    const id = `recipes/${nameOf(fault)}`;
    const { totals, resolutions = [] } = run.suite ?? {};
    const words = { pass: 'passed', fail: 'failed', unknown: 'unknown' } as const;
    expect(run.packages.get(id)?.summary.status).toBe(status);
    expect(resolutions.filter((one) => one.id === id)).toMatchObject([{ id, status }]);
    expect(resolutions).toHaveLength(count);
    expect(totals).toMatchObject({ declared: count, executed: count, [words[status]]: count });
    expect(statusOf(run, `${id}.recipe.json`)).toBe(status === 'pass' ? 'passed' : 'failed');
    const [exitCode, success, passed, failed] = status === 'pass' ? [0, true, count, 0] : [1, false, 0, count];
    expect(run).toMatchObject({ exitCode, success, passed, failed });
  },
);
