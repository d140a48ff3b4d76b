// Records performance traces of Chromium, one at a time, and limits their size.
import type { Browser } from '@playwright/test';
import type { RunPages } from './runPages.js';

const maxTraceBytes = 10_000_000;

type TraceFile = { body: Buffer; events: number; wasTruncated: boolean };

/** The run that is tracing. A browser can serve several runs one after the other, and one may end without stopping its trace. */
const tracingRuns = new WeakMap<Browser, RunPages>();

export function isTracing(browser: Browser, runPages: RunPages): boolean {
  return tracingRuns.get(browser) === runPages;
}

export async function startTrace(browser: Browser, runPages: RunPages, categories: readonly string[]): Promise<void> {
  if (tracingRuns.has(browser)) await browser.stopTracing();
  tracingRuns.delete(browser);
  await browser.startTracing(runPages.page, { categories: [...categories] });
  tracingRuns.set(browser, runPages);
}

export async function stopTrace(browser: Browser): Promise<TraceFile> {
  tracingRuns.delete(browser);
  return truncateTrace(await browser.stopTracing());
}

/** Stops the trace of a run without keeping it. */
export async function discardTrace(runPages: RunPages): Promise<void> {
  const browser = runPages.context.browser();
  if (!browser || !isTracing(browser, runPages)) return;
  tracingRuns.delete(browser);
  await browser.stopTracing();
}

/** Keeps the first events and stays valid JSON: Chromium writes one event per line. */
export function truncateTrace(trace: Buffer, maxBytes = maxTraceBytes): TraceFile {
  const wasTruncated = trace.length > maxBytes;
  const body = wasTruncated ? truncate(trace, maxBytes) : trace;
  return { body, events: countEvents(body), wasTruncated };
}

function truncate(trace: Buffer, maxBytes: number): Buffer {
  const end = trace.lastIndexOf('},\n', maxBytes - 10);
  return Buffer.concat([trace.subarray(0, end + 1), Buffer.from('\n]}\n')]);
}

function countEvents(trace: Buffer): number {
  const { traceEvents = [] } = JSON.parse(trace.toString()) as { traceEvents?: readonly unknown[] };
  return traceEvents.length;
}
