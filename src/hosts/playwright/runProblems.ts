// Describes the problems of a Playwright run that are not verdicts of recipes, in sentences for the index.
import type { FullConfig, FullResult, TestCase, TestError } from '@playwright/test/reporter';
import type { SuiteEntry } from '../../evidence/suite.js';
import { readFirstLine } from '../shared/readFirstLine.js';
import { describeOutsideProblems } from '../shared/suiteProblems.js';
import { findIdentity } from './readTestResult.js';

type HostResult = {
  status: FullResult['status'];
  /** Errors that belong to no test. */
  errors: readonly string[];
  tests: readonly TestCase[];
};

export function describeHostProblems({ status, errors, tests }: HostResult): string[] {
  if (status === 'passed') return [];
  const failed = tests
    .filter((test) => !findIdentity(test) && !test.ok())
    .map((test) => test.titlePath().filter(Boolean).join(' › '));
  return describeOutsideProblems({ errors, failed, isTimedOut: status === 'timedout', isInterrupted: status === 'interrupted' });
}

export function readErrorMessage({ message, value }: TestError): string {
  return readFirstLine(message ?? value ?? 'unknown error');
}

export function describeOversize(megabytes: number, budget: number): string[] {
  if (megabytes <= budget) return [];
  return [
    `The packages of this run take up ${megabytes} MB, more than the budget of ${budget} MB. Record less, or raise "sizeBudgetMb" of the reporter.`,
  ];
}

export function createMissingShardEntry({ current, total }: Shard): SuiteEntry & { detail: string } {
  const detail = 'The report of this shard is missing from the merge. Merge the reports of all shards.';
  return { name: `shard ${current} of ${total}`, detail };
}

/** Describes the failure of a test whose worker reported an error after the test had ended. */
export function describeLateError(message: string): string {
  return `its worker reported an error after the test (${message})`;
}

export type Shard = NonNullable<FullConfig['shard']>;

/** Shards with different totals belong to different runs. */
export function findMissingShards(merged: readonly Shard[]): Shard[] {
  const totals = [...new Set(merged.map(({ total }) => total))].sort((a, b) => a - b);
  return totals.flatMap((total) => {
    const present = new Set(merged.filter((shard) => shard.total === total).map(({ current }) => current));
    const all = Array.from({ length: total }, (_, index) => ({ total, current: index + 1 }));
    return all.filter(({ current }) => !present.has(current));
  });
}
