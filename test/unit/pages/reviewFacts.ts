// Short, hand-written facts for a review page, with an example of everything that the page can show.
import type { SummaryJson } from '../../../src/evidence/models/summaryModel.js';
import type { TraceEntryJson } from '../../../src/evidence/models/traceModel.js';
import type { ReviewFacts } from '../../../src/pages/review/reviewPage.js';
import { everyKind } from './graphs.js';

export const at = '2026-01-01T00:00:00.000Z';

export const entry = (nodeId: string, rest: Partial<TraceEntryJson> = {}): TraceEntryJson => ({
  ...{ nodeId, action: 'command', intent: `Do ${nodeId}`, startedAt: at, endedAt: at, durationMs: 5, ok: true },
  ...rest,
});

const broken = { operator: 'eq', path: '$.price', expected: 48, actual: 49, held: false, proofTarget: 'AC1' };
const held = { operator: 'exists', path: '$.price', actual: 49, held: true, proofTarget: 'AC1' };

export const entries: readonly TraceEntryJson[] = [
  entry('open', { next: 'which', output: { exitCode: 0, stdout: 'The shop is open.\n', stderr: 'a warning' } }),
  entry('which', { action: 'switch', next: 'buy', output: { case: 0, next: 'buy' } }),
  entry('buy/ask', {
    ...{
      ok: false,
      error: 'price expected eq 48, received 49.',
      cause_class: 'subject',
      asserts: [held, broken],
      proofTarget: 'AC1',
    },
    artifacts: ['screenshots/price.png', 'logs/shop.log'],
    attempts: [entry('buy/ask', { ok: false, error: 'The first try failed too.' })],
  }),
  entry('buy', { action: 'call', ok: false, error: 'The flow failed.', cause_class: 'subject' }),
  entry('again', { output: { skipped: true, reason: 'when is false' } }),
];

export const summary: SummaryJson = {
  ...{
    status: 'fail',
    reason: 'AC1 is refuted: 1 of 2 assertions did not hold',
    cause_class: 'subject',
    passed: 3,
    failed: 2,
    total: 5,
  },
  ...{ startedAt: at, endedAt: at, durationMs: 1_234, run: 'run-1', git_ref: 'abc1234' },
  proof: [
    {
      id: 'AC1',
      claim: 'The shop names a price of 48.',
      status: 'refuted',
      held: 1,
      failed: 1,
      artifacts: 1,
      reason: '1 of 2 assertions did not hold',
    },
    {
      id: 'AC2',
      claim: 'The shop is open at night.',
      status: 'unproven',
      held: 0,
      failed: 0,
      artifacts: 0,
      reason: 'no assertion was evaluated for it',
    },
  ],
  recipe: { id: 'recipes/shop', digest: `sha256:${'0'.repeat(64)}`, title: 'The shop' },
  host: { name: 'plain', version: '20' },
  harness: { name: 'recipewright', version: '0.1.0' },
  inputs: { patience: { value: 3, origin: 'cli' } },
  issues: [
    {
      id: 'I1',
      kind: 'failure',
      level: 'error',
      source: 'command',
      nodeId: 'buy/ask',
      message: 'price expected',
      disposition: 'blocking',
      artifact: 'issues.json',
    },
  ],
};

export const artifacts: ReviewFacts['artifacts'] = [
  { path: 'recipe.json', type: 'recipe', label: 'Executed recipe', sha256: '1'.repeat(64), size: 10 },
  {
    path: 'screenshots/price.png',
    type: 'screenshot',
    label: 'The price',
    nodeId: 'buy/ask',
    proofTarget: 'AC1',
    sha256: '2'.repeat(64),
    size: 20,
  },
  { path: 'logs/shop.log', type: 'log', nodeId: 'buy/ask', proofTarget: 'AC1', sha256: '3'.repeat(64), size: 30 },
];

export const facts = { summary, artifacts, recipe: everyKind, trace: entries };
