// The verdict on a journal: when a run passes, and everything that prevents a pass.
import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../../src/evidence/failureTable.js';
import { type JournalEntry, type JournalLine, openJournal, readJournal } from '../../../src/evidence/journal.js';
import { judgeLines } from '../../../src/evidence/verdict.js';
import { clockOf } from '../../support/clock.js';

type JournalSpec = { targets?: object[]; nodes: readonly (readonly [begin: object, end?: object])[]; closing?: object | null };

function journalOf({ targets = [], nodes, closing = {} }: JournalSpec): JournalLine[] {
  const lines: string[] = [];
  const journal = openJournal(clockOf(), (line) => lines.push(line));
  const at = (path: string) => ({ path, visit: 1, attempt: 0 });
  const tool = { name: 'recipewright', version: '0' };
  journal.write({
    t: 'run',
    ...at(''),
    run: 'r1',
    recipe: { id: 'r', digest: '' },
    tool,
    host: tool,
    inputs: {},
    targets,
  } as JournalEntry);
  for (const [index, [begin, end]] of nodes.entries()) {
    journal.write({ t: 'begin', ...at(`n${index}`), action: 'x', ...begin } as JournalEntry);
    if (end) journal.write({ t: 'end', ...at(`n${index}`), ms: 1, ok: true, ...end } as JournalEntry);
  }
  if (closing) journal.write({ t: 'end', ...at(''), ms: 1, ok: true, status: 'pass', ...closing } as JournalEntry);
  return readJournal(lines).lines;
}

const AC1 = { id: 'AC1', claim: 'It works.', visible: false };
const held = { operator: 'eq', path: '$', held: true, proofTarget: 'AC1' };
const broken = { ...held, held: false };
const picture = { path: 'videos/a.webm', type: 'video', label: 'x', category: 'evidence', sha256: '0'.repeat(64), size: 1 };
const failed = (cause_class: string) => ({ ok: false, error: { code: 'x', message: 'broke', cause_class } });
const smoke = [{ fallible: true }, {}] as const;

const table: readonly (readonly [what: string, spec: JournalSpec, status: string, exit: number, reason: RegExp])[] = [
  ['a smoke run whose node could have failed', { nodes: [smoke] }, 'pass', 0, /passed/],
  ['a claim with an assertion that held', { targets: [AC1], nodes: [[{}, { asserts: [held] }]] }, 'pass', 0, /1 of 1 claims/],
  ['a blocked claim', { targets: [{ ...AC1, blocked: 'no device' }], nodes: [smoke] }, 'unknown', 1, /AC1 is blocked: no device/],
  ['a claim without an assertion', { targets: [AC1], nodes: [smoke] }, 'unknown', 1, /AC1 is unproven: no assertion/],
  [
    'an assertion for another claim',
    { targets: [AC1], nodes: [[{}, { asserts: [{ ...held, proofTarget: 'AC2' }] }]] },
    'unknown',
    1,
    /unproven/,
  ],
  [
    'a visible claim without a picture',
    { targets: [{ ...AC1, visible: true }], nodes: [[{}, { asserts: [held] }]] },
    'unknown',
    1,
    /no artifact/,
  ],
  [
    'a visible claim whose video came with a later node',
    {
      targets: [{ ...AC1, visible: true }],
      nodes: [
        [{ proofTarget: 'AC1' }, { asserts: [held] }],
        [{}, { artifacts: [{ ...picture, nodeId: 'n0', proofTarget: 'AC1' }] }],
      ],
    },
    'pass',
    0,
    /1 of 1 claims/,
  ],
  [
    'a visible claim with a picture of something else',
    {
      targets: [{ ...AC1, visible: true }],
      nodes: [
        [{}, { asserts: [held] }],
        [{ proofTarget: 'AC1' }, { artifacts: [{ ...picture, nodeId: 'n0', proofTarget: 'AC2' }] }],
      ],
    },
    'unknown',
    1,
    /no artifact/,
  ],
  [
    'a claim whose assertion failed in a tolerated node',
    {
      targets: [AC1],
      nodes: [
        [{}, { asserts: [held] }],
        [{}, { ...failed('subject'), tolerated: true, asserts: [broken] }],
      ],
    },
    'fail',
    1,
    /refuted/,
  ],
  ['a run without a node that could have failed', { nodes: [[{}, {}]] }, 'unknown', 1, /proves nothing/],
  [
    'a fallible node that was skipped',
    { nodes: [[{ fallible: true, decision: { skip: 'when' } }, {}]] },
    'unknown',
    1,
    /proves nothing/,
  ],
  ['a fallible node that never ended', { nodes: [[{ fallible: true }]] }, 'unknown', 1, /proves nothing/],
  ['a failure of the app under test', { nodes: [[{}, failed('subject')]], closing: { status: 'fail' } }, 'fail', 1, /n0: broke/],
  [
    'a failure of the environment',
    { nodes: [[{}, failed('environment')]], closing: { status: 'unknown' } },
    'unknown',
    3,
    /broke/,
  ],
  ['a failure of the harness', { nodes: [[{}, failed('harness')]], closing: { status: 'unknown' } }, 'unknown', 4, /broke/],
  [
    'a failure of the app under test beside a failure of the environment',
    {
      nodes: [
        [{}, failed('environment')],
        [{}, failed('subject')],
      ],
    },
    'fail',
    1,
    /n1/,
  ],
  ['a failed node under a closing line that says pass', { nodes: [smoke, [{}, failed('subject')]] }, 'fail', 1, /n1: broke/],
  ['an end with status unknown', { nodes: [smoke], closing: { status: 'unknown' } }, 'unknown', 1, /ended with status unknown/],
  ['an end with status fail', { nodes: [smoke], closing: { status: 'fail' } }, 'fail', 1, /ended with status fail/],
  ['a journal without a closing line', { nodes: [smoke], closing: null }, 'unknown', 1, /interrupted before it ended/],
  ['a run with a running node', { nodes: [smoke, [{}]], closing: null }, 'unknown', 1, /interrupted at n1/],
  [
    'a run that a signal stopped',
    { nodes: [smoke], closing: { status: 'unknown', signal: 'SIGTERM' } },
    'unknown',
    143,
    /SIGTERM/,
  ],
];

const rows = table.map(([what, spec, status, exit, reason]) => [what, status, { spec, exit, reason }] as const);

describe('the verdict', () => {
  test.for(rows)('the verdict on %s is %s', ([, status, { spec, exit, reason }]) => {
    const { verdict } = judgeLines(journalOf(spec));
    expect(verdict).toMatchObject({ status });
    expect(verdict.reason).toMatch(reason);
    expect(exitCodeOf(verdict)).toBe(exit);
  });

  test('the verdict on an empty journal is unknown', () => {
    expect(judgeLines([]).verdict.status).toBe('unknown');
  });

  test.for([
    ['that died', null],
    ['that a signal stopped', { status: 'unknown', signal: 'SIGTERM' }],
  ] as const)('a run %s proves no claim, but can still refute one', ([, closing]) => {
    const targets = [AC1, { ...AC1, id: 'AC2' }];
    const nodes: JournalSpec['nodes'] = [[{}, { asserts: [held] }], [{}, { asserts: [{ ...broken, proofTarget: 'AC2' }] }], [{}]];
    const { proof } = judgeLines(journalOf({ targets, nodes, closing })).verdict;
    expect(proof).toMatchObject([
      { id: 'AC1', status: 'unproven', held: 1, reason: 'its assertions held until the run was cut short' },
      { id: 'AC2', status: 'refuted' },
    ]);
  });

  test('the verdict on an interrupted run names the running node', () => {
    expect(judgeLines(journalOf({ nodes: [smoke, [{}]], closing: null })).verdict.interruptedAt).toEqual(['n1']);
  });
});
