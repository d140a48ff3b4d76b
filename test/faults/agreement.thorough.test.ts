// A run with an unhandled rejection never passes (F54), and the exit code agrees with the summary on disk (F55).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../src/evidence/failureTable.js';
import { readJournal } from '../../src/evidence/journal.js';
import { buildPackage, type Summary } from '../../src/evidence/writePackage.js';
import { cliProject } from '../support/cli.js';
import { type Nodes, recipeOf } from '../support/plain.js';
import { plainSetup } from '../support/plainSetup.js';

const late = (ms: number) => `void new Promise((_, no) => setTimeout(() => no(new Error('late')), ${ms}));`;
const setup = plainSetup(
  {
    'lost.at_once': "Promise.reject(new Error('late')); return { output: {} };",
    'lost.soon': `${late(50)} return { output: {} };`,
    'lost.thrown': "setTimeout(() => { throw new Error('late'); }, 50); return { output: {} };",
    'lost.thenable': "return { then: (_, no) => setTimeout(() => no(new Error('late')), 50) };",
    'lost.own': "await null; throw new Error('late');",
    'lost.after_deadline': "await new Promise((_, no) => setTimeout(() => no(new Error('late')), 2_500));",
    'lost.secret':
      "return { output: {}, artifacts: [{ path: 'a.bin', type: 'other', body: Buffer.concat([Buffer.from([255]), Buffer.from(fields.secret)]) }] };",
    'lost.harness': "throw new TypeError('not a shop');",
  },
  `operators: [{ name: 'lost.operator', description: 'x', holds: async () => { throw new Error('late'); } }],
   preconditions: [{ id: 'lost.gate', description: 'The gate is open', check: () => false }],`,
);
const args = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out', '--setup', 'setup.mjs'];
const node = (action: string, rest: object = {}) => ({ action, next: 'done', ...rest });
const sleep = node('command', { cmd: 'sleep 0.4' });
const project = (nodes: Nodes, rest: Record<string, unknown> = {}) =>
  cliProject({ 'a.recipe.json': recipeOf(nodes, rest), 'setup.mjs': setup });

/** The summary in the directory, or the summary that its journal gives when the run wrote none. */
function verdictIn(dir: string): Summary {
  const at = (name: string) => join(dir, 'out', name);
  if (existsSync(at('summary.json'))) return JSON.parse(readFileSync(at('summary.json'), 'utf8')) as Summary;
  const journal = readFileSync(at('journal.jsonl'), 'utf8').trimEnd().split('\n');
  expect(readJournal(journal).problem).toBeUndefined();
  return buildPackage({ id: 'a', recipe: {}, journal, findArtifact: () => undefined }).summary;
}

describe('F54 an error that no action awaits', () => {
  const operator = { path: '$.stdout', operator: 'lost.operator', value: 1 };
  test.for([
    ['a promise that rejects at once', { a: node('lost.at_once', { next: 'b' }), b: sleep }],
    ['a promise that rejects while another node runs', { a: node('lost.soon', { next: 'b' }), b: sleep }],
    ['a timer that throws', { a: node('lost.thrown', { next: 'b' }), b: sleep }],
    ['the promise of the action itself that rejects', { a: node('lost.own') }],
    ['a thenable that rejects', { a: node('lost.thenable') }],
    ['a promise that rejects after the timeout of its node', { a: node('lost.after_deadline', { timeout_ms: 300 }) }],
    ['an operator that rejects', { a: node('command', { cmd: 'echo x', assert: operator }) }],
  ] as const)('a run with %s never passes', async ([, nodes]) => {
    const { dir, run } = project(nodes as unknown as Nodes);
    const { exitCode, stdout } = await run(...args);
    expect([0, null]).not.toContain(exitCode);
    expect(verdictIn(dir).status).not.toBe('pass');
    expect(stdout).not.toContain('Recipe run: pass');
  });
});

describe('F55 the exit code and the summary', () => {
  const proofTargets = [{ id: 'AC1', claim: 'It holds.' }];
  const faults: readonly (readonly [string, number, Nodes, Record<string, unknown>?])[] = [
    ['no fault', 0, { a: node('command', { cmd: 'true' }) }],
    ['a failed command', 1, { a: node('command', { cmd: 'exit 9' }) }],
    ['a claim that nothing proves', 1, { a: node('command', { cmd: 'true', proofTarget: 'AC1' }) }, { proofTargets }],
    [
      'an end with the status unknown',
      1,
      { a: node('command', { cmd: 'true', next: 'u' }), u: { action: 'end', status: 'unknown' } },
    ],
    ['a missing program', 3, { a: node('command', { argv: ['no-such-program-anywhere'] }) }],
    ['a failed precondition', 3, { a: node('command', { cmd: 'true' }) }, { workflow: { pre_conditions: ['lost.gate'] } }],
    ['a fault of the harness', 4, { a: node('lost.harness') }],
    [
      'a failed teardown',
      1,
      { a: node('command', { cmd: 'true' }) },
      { workflow: { teardown: [{ action: 'command', intent: 'Fail while cleaning up', cmd: 'exit 1' }] } },
    ],
    ['a timeout', 1, { a: node('command', { cmd: 'sleep 9', timeout_ms: 200 }) }],
    [
      'an endless loop',
      1,
      {
        a: {
          action: 'switch',
          cases: [{ when: { source: 'inputs', path: '$.x', operator: 'exists' }, next: 'a' }],
          default: 'done',
        },
      },
      { inputs: { x: 1 } },
    ],
    [
      'a secret in the evidence',
      1,
      { a: node('lost.secret', { secret: '{{pw}}' }) },
      { inputs: { pw: { type: 'secret-ref', ref: 'file:pw.txt' } } },
    ],
  ];

  test.for(faults)(
    'a run with %s exits with %i, and the summary on disk has the same verdict',
    async ([, code, nodes, rest = {}]) => {
      const { dir, run } = cliProject({
        'a.recipe.json': recipeOf(nodes, rest),
        'setup.mjs': setup,
        'pw.txt': 'Kiwi-Harbour-2231',
      });
      const { exitCode, stdout } = await run(...args, '--json');
      const summary = verdictIn(dir);
      expect({ exitCode, fromSummary: exitCodeOf(summary) }).toEqual({ exitCode: code, fromSummary: code });
      expect(JSON.parse(stdout)).toMatchObject({ status: summary.status, summary });
    },
  );
});
