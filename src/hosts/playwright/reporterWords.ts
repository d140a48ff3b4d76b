// What the reporter has to say besides the verdicts.
import type { SuiteEntry } from '../../evidence/suite.js';
import type { Summary } from '../../evidence/summary.js';
import type { Shard } from './missingShards.js';

export function tooLarge(megabytes: number, budget: number): string[] {
  if (megabytes <= budget) return [];
  return [
    `The packages of this run hold ${megabytes} MB, more than the budget of ${budget} MB. Record less, or raise "sizeBudgetMb" of the reporter.`,
  ];
}

export function notMerged({ current, total }: Shard): SuiteEntry & { detail: string } {
  const detail = 'Its report is not among those that were merged. Merge the reports of all shards.';
  return { name: `shard ${current} of ${total}`, detail };
}

export function greenWithout({ recipe, status, reason }: Summary): string {
  return `${recipe.id}: the test is green, but its evidence says ${status}: ${reason}`;
}
