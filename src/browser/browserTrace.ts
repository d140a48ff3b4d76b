// A trace of the browser itself, one at a time, as a file of bounded size.
import type { Browser } from '@playwright/test';
import type { RunPages } from './runPages.js';

/** What is kept as one artifact at most. */
const maxTraceBytes = 10_000_000;

type TraceFile = { body: Buffer; events: number; wasTruncated: boolean };

/** Who records. A browser can serve one run after the other, and one may have ended without a stop. */
const tracingRuns = new WeakMap<Browser, RunPages>();

export function isTracing(browser: Browser, stage: RunPages): boolean {
  return tracingRuns.get(browser) === stage;
}

export async function startTrace(browser: Browser, stage: RunPages, categories: readonly string[]): Promise<void> {
  if (tracingRuns.has(browser)) await browser.stopTracing();
  tracingRuns.delete(browser);
  await browser.startTracing(stage.page, { categories: [...categories] });
  tracingRuns.set(browser, stage);
}

export async function stopTrace(browser: Browser): Promise<TraceFile> {
  tracingRuns.delete(browser);
  return truncateTrace(await browser.stopTracing());
}

/** Ends what the stage still records; nobody will ask for it. */
export async function discardTrace(stage: RunPages): Promise<void> {
  const browser = stage.context.browser();
  if (!browser || !isTracing(browser, stage)) return;
  tracingRuns.delete(browser);
  await browser.stopTracing();
}

/** Chromium writes one event a line; the first ones are kept, and what is kept is whole JSON. */
export function truncateTrace(trace: Buffer, most = maxTraceBytes): TraceFile {
  const wasTruncated = trace.length > most;
  const body = wasTruncated ? truncate(trace, most) : trace;
  return { body, events: countEvents(body), wasTruncated };
}

function truncate(trace: Buffer, most: number): Buffer {
  const end = trace.lastIndexOf('},\n', most - 10);
  return Buffer.concat([trace.subarray(0, end + 1), Buffer.from('\n]}\n')]);
}

function countEvents(trace: Buffer): number {
  const { traceEvents = [] } = JSON.parse(trace.toString()) as { traceEvents?: readonly unknown[] };
  return traceEvents.length;
}
