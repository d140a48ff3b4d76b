// A suite counts every declared case once, and a missing case makes it invalid.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { suiteResultModel, suiteScopeModel } from '../../../src/evidence/models/suiteResultModel.js';

const good = JSON.parse(readFileSync(new URL('../../corpus/good/documents/suite-result-v1--shop.json', import.meta.url), 'utf8'));
const issuesIn = (json: unknown): string[] =>
  (suiteResultModel.safeParse(json).error?.issues ?? []).map(({ path }) => path.join('.'));
const change = (index: number, entry: object): unknown => ({
  ...good,
  resolutions: good.resolutions.map((old: object, at: number) => (at === index ? { ...old, ...entry } : old)),
});

test('a suite result fits its model', () => {
  expect(issuesIn(good)).toEqual([]);
});

test.for<[what: string, json: unknown, path: string]>([
  ['has wrong totals', { ...good, totals: { ...good.totals, executed: 2 } }, 'totals.executed'],
  ['resolves a case twice', change(1, { id: 'phone' }), 'resolutions.2.id'],
  ['has a forgotten case', change(2, { reason_class: 'oversight' }), 'resolutions.2.reason_class'],
  ['has a blocked case without "blocked_by"', change(1, { blocked_by: undefined }), 'resolutions.1.blocked_by'],
  ['has "blocked_by" for a case that is not blocked', change(2, { blocked_by: ['checkout'] }), 'resolutions.2.blocked_by'],
  ['has a path outside the suite', change(0, { summary_path: 'a/../../b.json' }), 'resolutions.0.summary_path'],
  ['has a path with a drive letter', change(0, { summary_path: 'C:/b.json' }), 'resolutions.0.summary_path'],
  ['has a short digest', change(0, { summary_digest: 'sha256:00' }), 'resolutions.0.summary_digest'],
  ['has an unknown field', { ...good, note: 'x' }, ''],
])('a suite result that %s is refused', ([, json, path]) => {
  expect(issuesIn(json)).toEqual([path]);
});

test('two verdicts cannot share a summary', () => {
  const [verdict] = good.resolutions;
  const totals = { declared: 2, executed: 2, not_executed: 0 };
  expect(issuesIn({ ...good, totals, resolutions: [verdict, { ...verdict, id: 'again' }] })).toEqual([
    'resolutions.1.summary_path',
  ]);
});

test('a suite scope that declares a case twice is refused', () => {
  const scope = (...ids: string[]) => suiteScopeModel.safeParse({ suite_id: 'shop', cases: ids.map((id) => ({ id })) }).success;
  expect([scope('a', 'b'), scope('a', 'a'), scope()]).toEqual([true, false, false]);
});
