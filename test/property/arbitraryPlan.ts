// Random plans with nested regions of all four kinds, retries, recoveries, every reaction to a failure, loops and back edges.
import fc, { type Arbitrary } from 'fast-check';
import type { Limits } from '../../src/engine/limits.js';
import type { Status } from '../../src/recipe/recipe.js';
import type { EdgeSpec, NextSpec, NodeSpec, OnFail, RegionSpec } from './planSpec.js';

const maxNodes = 5;
const position = fc.nat(maxNodes - 1);

const onFail: Arbitrary<OnFail> = fc.oneof(
  { weight: 5, arbitrary: fc.constant('stop' as const) },
  { weight: 5, arbitrary: fc.constant('continue' as const) },
  { weight: 1, arbitrary: fc.constant('abort' as const) },
);

const status = fc.constantFrom<Status[]>('pass', 'fail', 'unknown');

const next: Arbitrary<NextSpec> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ to: position }) },
  { weight: 6, arbitrary: fc.record({ cases: fc.array(position, { maxLength: 3, size: 'max' }) }) },
  { weight: 2, arbitrary: fc.record({ end: status }) },
  { weight: 1, arbitrary: fc.constant({ none: true as const }) },
);

const attempts = fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 3 }) });

const edge: Arbitrary<EdgeSpec> = fc.record({ from: position, to: position, conditional: fc.boolean() });

// By default, fast-check prefers smaller values at greater depth, and would rarely nest a region.
const full = { depthSize: 'max', size: 'max' } as const;

function nodes(depth: number): Arbitrary<NodeSpec> {
  const leaf = fc.constant(null);
  const body = depth > 0 ? fc.oneof(full, { weight: 1, arbitrary: leaf }, { weight: 1, arbitrary: regions(depth - 1) }) : leaf;
  const helper = fc.record({ onFail, attempts, next, recover: fc.constant(null), body });
  const recover = fc.oneof(full, { weight: 2, arbitrary: leaf }, { weight: 1, arbitrary: helper });
  return fc.record({ onFail, attempts, next, recover, body });
}

function regions(depth: number): Arbitrary<RegionSpec> {
  const child = nodes(depth);
  const some = fc.array(child, { ...full, minLength: 1, maxLength: maxNodes });
  const limit = fc.integer({ min: 1, max: 4 });
  const all = fc.record({ kind: fc.constant('all' as const), nodes: some, inTurn: fc.boolean(), pipe: fc.boolean(), limit });
  return fc.oneof(
    full,
    fc.record({ kind: fc.constant('walk' as const), nodes: some }),
    // `pipe` has no meaning for children side by side, so no such plan is made.
    all.map((region) => ({ ...region, pipe: region.pipe && region.inTurn })),
    fc.record({ kind: fc.constant('each' as const), child, limit }),
    fc.record({ kind: fc.constant('dag' as const), nodes: some, edges: fc.array(edge, { ...full, maxLength: 8 }) }),
  );
}

/** At most four nested regions. A root of the kind `each` has no items, so such a root is rare. */
export const arbitraryRegion: Arbitrary<RegionSpec> = fc
  .tuple(fc.constantFrom(0, 1, 2, 2, 3, 3), fc.nat(19))
  .chain(([depth, chance]) => regions(depth).filter(({ kind }) => kind !== 'each' || chance === 0));

export const arbitraryLimits: Arbitrary<Limits> = fc.record({
  visitsPerNode: fc.integer({ min: 1, max: 10 }),
  stepsPerRun: fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }) },
    { weight: 3, arbitrary: fc.integer({ min: 100, max: 300 }) },
  ),
  callDepth: fc.constant(8),
});
