// Which shards of a run are not among those that are merged.
import type { FullConfig } from '@playwright/test/reporter';

export type Shard = NonNullable<FullConfig['shard']>;

/** A run of another number of shards is another run. */
export function missingShards(merged: readonly Shard[]): Shard[] {
  const totals = [...new Set(merged.map(({ total }) => total))].sort((a, b) => a - b);
  return totals.flatMap((total) => {
    const there = new Set(merged.filter((shard) => shard.total === total).map(({ current }) => current));
    const all = Array.from({ length: total }, (_, index) => ({ total, current: index + 1 }));
    return all.filter(({ current }) => !there.has(current));
  });
}
