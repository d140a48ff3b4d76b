// Issues (spec §17): which logs and failures become issues, and which of them fail the run.
import { describe, expect, test } from 'vitest';
import { createIssuePolicy } from '../../../src/evidence/issues.js';
import { type JournalEntry, openJournal, type RunLine } from '../../../src/evidence/journal.js';
import { buildPackage, type Package } from '../../../src/evidence/writePackage.js';
import { clockOf } from '../../support/clock.js';

type Node = readonly [path: string, end: object, children?: readonly Node[]];

/** Builds the package of a run whose nodes ended with these lines. `policy`: the recipe's policy for unexpected logs. */
function buildPackageOf(nodes: readonly Node[], policy?: RunLine['fail_on_unexpected']): Package {
  const journal: string[] = [];
  const { write } = openJournal(clockOf(), (line) => journal.push(line));
  const tool = { name: 'recipewright', version: 'source' };
  const at = (path: string) => ({ path, visit: 1, attempt: Number(/@(\d+)$/.exec(path)?.[1] ?? 0) });
  const run = { t: 'run', ...at(''), run: 'r1', recipe: { id: 'r', digest: '' }, tool, host: tool, inputs: {}, targets: [] };
  write({ ...run, ...(policy ? { fail_on_unexpected: policy } : {}) } as JournalEntry);
  const perform = ([path, end, children = []]: Node): void => {
    write({ t: 'begin', ...at(path), action: 'ui.press', fallible: true } as JournalEntry);
    children.forEach(perform);
    write({ t: 'end', ...at(path), ms: 1, ok: true, ...end } as JournalEntry);
  };
  nodes.forEach(perform);
  write({ t: 'end', ...at(''), ms: 1, ok: true, status: 'pass' } as JournalEntry);
  return buildPackage({ id: 'r', recipe: undefined, journal, findArtifact: () => undefined });
}

const log = (message: string, level = 'error') => ({ issues: [{ level, source: 'console', message }] });
const failure = (message: string) => ({ ok: false, error: { code: 'x', message, cause_class: 'subject' } });
const enabled = { enabled: true };
const issueLines = ({ summary }: Package): string[] =>
  (summary.issues ?? []).map(({ id, kind, level, disposition, nodeId }) => `${id} ${kind} ${level} ${disposition} ${nodeId}`);

describe('an unexpected log', () => {
  test.for<[what: string, policy: RunLine['fail_on_unexpected'], disposition: string, status: string]>([
    ['is diagnostic without a policy', undefined, 'diagnostic', 'pass'],
    ['is diagnostic when the policy is off', { enabled: false }, 'diagnostic', 'pass'],
    ['is blocking when the policy is on', enabled, 'blocking', 'fail'],
    ['is diagnostic when the policy is for other levels', { enabled: true, levels: ['warning'] }, 'diagnostic', 'pass'],
    ['is ignored when its message is allowed', { enabled: true, allow: ['boom at'] }, 'ignored', 'pass'],
    ['is ignored when a pattern allows it', { enabled: true, allow: ['/^boom at \\d+$/'] }, 'ignored', 'pass'],
    ['is ignored in any letter case when the pattern has the flag i', { enabled: true, allow: ['/BOOM/i'] }, 'ignored', 'pass'],
    ['is blocking when the pattern has another letter case', { enabled: true, allow: ['/BOOM/'] }, 'blocking', 'fail'],
    ['is blocking when the allowed pattern is invalid', { enabled: true, allow: ['/(/', '', 7, null] }, 'blocking', 'fail'],
  ])('an unexpected log %s', ([, policy, disposition, status]) => {
    const { summary, manifest, files } = buildPackageOf([['buy', log('boom at 7')]], policy);
    expect(summary).toMatchObject({ status, issues: [{ disposition, kind: 'log', source: 'console', artifact: 'issues.json' }] });
    expect(summary.fail_on_unexpected).toEqual(policy);
    if (status === 'fail')
      expect(summary).toMatchObject({ reason: 'buy: unexpected error from console: boom at 7', cause_class: 'subject' });
    expect(manifest.artifacts).toContainEqual(
      expect.objectContaining({ path: 'issues.json', type: 'json', category: 'diagnostic' }),
    );
    expect(JSON.parse(Buffer.from(files.get('issues.json') ?? []).toString())).toEqual(summary.issues);
  });

  test('an unexpected log in an attempt that was retried does not fail the run', () => {
    const built = buildPackageOf(
      [
        ['a', { ...failure('first'), ...log('first try'), retried: true }, [['a/x', { ...failure('deep'), ...log('inside') }]]],
        ['a@1', log('second try', 'warning'), [['a@1/x', {}]]],
      ],
      enabled,
    );
    expect(issueLines(built)).toEqual([
      'I1 log error diagnostic a/x',
      'I2 failure error diagnostic a/x',
      'I3 log error diagnostic a',
      'I4 failure error diagnostic a',
      'I5 log warning diagnostic a',
    ]);
    expect(built.summary).toMatchObject({ status: 'pass', failed: 0, total: 2 });
    expect(built.trace).toMatchObject([{ nodeId: 'a@1/x' }, { nodeId: 'a', attempts: [{ entries: [{ nodeId: 'a/x' }] }] }]);
  });

  test('an unexpected log of a tolerated node fails the run, but the failure of that node does not', () => {
    const built = buildPackageOf([['a', { ...failure('soft'), ...log('loud'), tolerated: true }]], enabled);
    expect(issueLines(built)).toEqual(['I1 log error blocking a', 'I2 failure error diagnostic a']);
    expect(built.summary.status).toBe('fail');
  });
});

describe('a failure', () => {
  test('a failure is a blocking issue even when its message is allowed', () => {
    const built = buildPackageOf([['a', failure('boom')]], { enabled: true, allow: ['boom'] });
    expect(issueLines(built)).toEqual(['I1 failure error blocking a']);
    expect(built.summary).toMatchObject({ status: 'fail', cause_counts: { subject: 1, harness: 0, environment: 0, unknown: 0 } });
  });

  test('a tolerated failure with an allowed message is ignored', () => {
    expect(issueLines(buildPackageOf([['a', { ...failure('boom'), tolerated: true }]], { allow: ['boom'] }))).toEqual([
      'I1 failure error ignored a',
    ]);
  });

  test('a failure without an error still has a cause', () => {
    const { trace } = buildPackageOf([['a', { ok: false }]]);
    expect(trace).toMatchObject([{ ok: false, error: 'The node failed.', cause_class: 'unknown' }]);
  });
});

test('a run without issues has no issues.json', () => {
  const { summary, files } = buildPackageOf([['a', {}]]);
  expect([summary.issues, summary.more_issues, files.has('issues.json')]).toEqual([undefined, undefined, false]);
});

test('issues beyond the limit are only counted, and long messages are shortened only in the summary', () => {
  const long = `${'x'.repeat(399)}😀`;
  const flood = Array.from({ length: 1_005 }, (_, index) => ({
    level: 'info',
    source: 'console',
    message: index ? `m${index}` : long,
  }));
  const { summary, files } = buildPackageOf([['a', { issues: flood }]]);
  expect([summary.issues?.length, summary.more_issues]).toEqual([1_000, 5]);
  expect(summary.issues?.[0]?.message).toBe(`${'x'.repeat(399)}…`);
  const written = JSON.parse(Buffer.from(files.get('issues.json') ?? []).toString());
  expect([written.length, written[0].message]).toEqual([1_000, long]);
});

test('a pattern of allowed messages that backtracks forever in other engines is matched in linear time', () => {
  const { dispositionOf } = createIssuePolicy({ enabled: true, allow: ['/^(a+)+$/'] });
  const started = performance.now();
  expect(dispositionOf({ level: 'error', message: `${'a'.repeat(5_000)}!` })).toBe('blocking');
  expect(performance.now() - started).toBeLessThan(2_000);
});
