// Compares the traces of two runs: which nodes ran, their results, their outputs and their durations.
import { isDeepStrictEqual } from 'node:util';
import type { TraceEntryJson } from '../../evidence/models/traceModel.js';
import { formatInlineValue } from '../../pages/review/formatValue.js';

type BeforeAfter<T> = { nodeId: string; before: T; after: T };

export type TraceChanges = {
  onlyBefore: string[];
  onlyAfter: string[];
  results: BeforeAfter<string>[];
  outputs: BeforeAfter<string>[];
  times: BeforeAfter<number>[];
  /** The number of changes that are not listed. */
  more: number;
};

type Trace = readonly TraceEntryJson[];

const maxListed = 100;
/** Smaller differences are random variation. */
const minDifferenceMs = 200;
const minDifferenceRatio = 0.25;

export function compareTraces(traceBefore: Trace, traceAfter: Trace): TraceChanges {
  const [entriesBefore, entriesAfter] = [entriesByNode(traceBefore), entriesByNode(traceAfter)];
  const pairs = [...entriesAfter].flatMap(([nodeId, after]) => {
    const before = entriesBefore.get(nodeId);
    return before ? [{ nodeId, before, after }] : [];
  });
  const changes = {
    onlyBefore: [...entriesBefore.keys()].filter((id) => !entriesAfter.has(id)),
    onlyAfter: [...entriesAfter.keys()].filter((id) => !entriesBefore.has(id)),
    results: pairs.map((pair) => mapPair(pair, entryResult)).filter(({ before, after }) => before !== after),
    outputs: pairs
      .filter(({ before, after }) => !isSameOutput(before.output, after.output))
      .map((pair) => mapPair(pair, ({ output }) => formatInlineValue(output))),
    times: pairs.map((pair) => mapPair(pair, ({ durationMs = 0 }) => durationMs)).filter(isDurationChanged),
  };
  const lists = Object.values(changes);
  const more = lists.reduce((sum, list) => sum + Math.max(0, list.length - maxListed), 0);
  for (const list of lists) list.splice(maxListed);
  return { ...changes, more };
}

function isSameOutput(before: unknown, after: unknown): boolean {
  return isDeepStrictEqual(before, after) || isDeepStrictEqual(withoutPorts(before), withoutPorts(after));
}

// Test servers listen on a random free port, so the port of a local URL differs from run to run.
const loopback = /(?<=^|%2F|[^\w.-])(127(?:\.\d{1,3}){3}|0\.0\.0\.0|localhost|\[::1\])(:|%3A)\d{1,5}(?!\d)/gi;

function withoutPorts(output: unknown): unknown {
  if (output === undefined) return undefined;
  return JSON.parse(JSON.stringify(output).replaceAll(loopback, '$1'));
}

function entriesByNode(trace: Trace): Map<string, TraceEntryJson> {
  return new Map(trace.map((entry) => [entry.nodeId ?? entry.id ?? '', entry]));
}

function mapPair<T>({ nodeId, before, after }: BeforeAfter<TraceEntryJson>, read: (entry: TraceEntryJson) => T): BeforeAfter<T> {
  return { nodeId, before: read(before), after: read(after) };
}

function entryResult({ ok, tolerated, unfinished, output }: TraceEntryJson): string {
  if (unfinished) return 'did not finish';
  if (!ok) return 'failed';
  if (tolerated) return 'failed, tolerated';
  return (output as { skipped?: unknown } | null | undefined)?.skipped === true ? 'skipped' : 'passed';
}

function isDurationChanged({ before, after }: BeforeAfter<number>): boolean {
  const difference = Math.abs(after - before);
  return difference >= minDifferenceMs && difference >= minDifferenceRatio * Math.max(before, after);
}
