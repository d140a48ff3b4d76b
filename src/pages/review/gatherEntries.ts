// What a review page keeps of a trace: all of a usual run, of a very long one its beginning and its failures.
import type { TraceEntryJson } from '../../evidence/models/trace.js';
import { keptValue, valueText } from './valueText.js';

export type Assertion = { held: boolean; nodeId: string; [field: string]: unknown };

export type Kept = {
  nodeId: string;
  /** Without its output and its earlier tries, which are kept cut. */
  entry: TraceEntryJson;
  isSkipped: boolean;
  /** What came out: the streams of a command apart, the rest as JSON. */
  outputs: readonly { name: string; text: string }[];
  attempts: readonly Kept[];
  children: Kept[];
};

const mostEntries = 2_000;
const mostFailures = 200;
const mostAttempts = 10;
const mostAssertions = 50;

export class Entries {
  /** In the order in which they ended, what ran inside of a node below it. */
  roots: Kept[] = [];
  total = 0;
  kept = 0;
  firstFailed: Kept | undefined;
  /** By claim. */
  readonly assertions = new Map<string, Assertion[]>();
  private failures = 0;
  /** What the ids so far say they ran inside of. */
  private readonly around = new Set<string>();

  see(entry: TraceEntryJson): void {
    this.total++;
    this.count(entry);
    const isFailure = !entry.ok;
    const hasRoom = this.kept < mostEntries || (isFailure && this.failures < mostFailures);
    if (!hasRoom) return;
    if (this.kept >= mostEntries) this.failures++;
    this.kept++;
    const kept = keep(entry);
    this.adopt(kept);
    // What a node fails of stands before it: the innermost failure comes first.
    if (isFailure) this.firstFailed ??= kept;
  }

  private count(entry: TraceEntryJson): void {
    for (const made of entry.asserts ?? []) {
      const { proofTarget } = made;
      if (typeof proofTarget !== 'string') continue;
      const list = this.assertions.get(proofTarget) ?? [];
      this.assertions.set(proofTarget, list);
      // One that did not hold is worth more than the fifty-first that did.
      const most = made.held ? mostAssertions : 2 * mostAssertions;
      if (list.length < most) list.push({ ...keepAssertion(made), nodeId: idOf(entry) });
    }
  }

  private adopt(kept: Kept): void {
    const { nodeId } = kept;
    if (this.around.has(nodeId)) {
      const isChild = (root: Kept): boolean => root.nodeId.startsWith(nodeId) && '/@'.includes(root.nodeId[nodeId.length] ?? ' ');
      kept.children.push(...this.roots.filter(isChild));
      this.roots = this.roots.filter((root) => !isChild(root));
    }
    this.roots.push(kept);
    for (const { index } of nodeId.matchAll(/[/@]/g)) this.around.add(nodeId.slice(0, index));
  }
}

function idOf({ nodeId, id }: Pick<TraceEntryJson, 'nodeId' | 'id'>): string {
  return nodeId ?? id ?? '';
}

type Made = NonNullable<TraceEntryJson['asserts']>[number];

// What was compared may be as large as the run.
function keepAssertion(made: Made): Made {
  const { comparisons, expected, actual } = made;
  return {
    ...made,
    ...('expected' in made ? { expected: keptValue(expected) } : {}),
    ...('actual' in made ? { actual: keptValue(actual) } : {}),
    ...(Array.isArray(comparisons) ? { comparisons: (comparisons as Made[]).slice(0, mostAssertions).map(keepAssertion) } : {}),
  };
}

function keep({ output, attempts = [], entries, asserts, ...rest }: TraceEntryJson): Kept {
  const entry = asserts ? { ...rest, asserts: asserts.slice(0, mostAssertions).map(keepAssertion) } : rest;
  const skipped = typeof output === 'object' && output !== null && (output as { skipped?: unknown }).skipped === true;
  return {
    nodeId: idOf(entry),
    entry,
    isSkipped: skipped,
    outputs: outputsOf(output),
    attempts: attempts.slice(0, mostAttempts).map(keep),
    children: (entries ?? []).slice(0, mostAttempts).map(keep),
  };
}

function outputsOf(output: unknown): Kept['outputs'] {
  if (output === undefined) return [];
  if (typeof output !== 'object' || output === null || Array.isArray(output))
    return [{ name: 'output', text: valueText(output) }];
  const { stdout, stderr, ...rest } = output as Record<string, unknown>;
  const streams = Object.entries({ stdout, stderr }).filter(([, text]) => typeof text === 'string' && text !== '');
  return [
    ...streams.map(([name, text]) => ({ name, text: valueText(text) })),
    ...(Object.keys(rest).length > 0 ? [{ name: 'output', text: valueText(rest) }] : []),
  ];
}
