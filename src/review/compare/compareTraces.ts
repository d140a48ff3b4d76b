// What ran in one run and not in the other, what came out otherwise, what took another time.
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
  /** How many changes there are beyond those that are listed. */
  more: number;
};

type Trace = readonly TraceEntryJson[];

const maxListed = 100;
/** Shorter or smaller differences are those of the weather. */
const minDifferenceMs = 200;
const minDifferenceRatio = 0.25;

export function compareTraces(before: Trace, after: Trace): TraceChanges {
  const [old, now] = [entriesByNode(before), entriesByNode(after)];
  const both = [...now].flatMap(([nodeId, is]) => {
    const was = old.get(nodeId);
    return was ? [{ nodeId, before: was, after: is }] : [];
  });
  const changes = {
    onlyBefore: [...old.keys()].filter((id) => !now.has(id)),
    onlyAfter: [...now.keys()].filter((id) => !old.has(id)),
    results: both.map((pair) => mapPair(pair, entryResult)).filter((pair) => pair.before !== pair.after),
    outputs: both
      .filter(({ before: was, after: is }) => !isSameOutput(was.output, is.output))
      .map((pair) => mapPair(pair, ({ output }) => formatInlineValue(output))),
    times: both.map((pair) => mapPair(pair, ({ durationMs = 0 }) => durationMs)).filter(isDurationChanged),
  };
  const lists = Object.values(changes);
  const more = lists.reduce((sum, list) => sum + Math.max(0, list.length - maxListed), 0);
  for (const list of lists) list.splice(maxListed);
  return { ...changes, more };
}

function isSameOutput(before: unknown, after: unknown): boolean {
  return isDeepStrictEqual(before, after) || isDeepStrictEqual(withoutPorts(before), withoutPorts(after));
}

// A server of a test takes whatever port is free: another one on the same machine says nothing about what it serves.
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
