// A trace of the browser itself, one at a time, as a file of bounded size.
import type { Browser } from '@playwright/test';
import type { Stage } from './stage.js';

/** What is kept as one artifact at most. */
const mostBytes = 10_000_000;

export type TraceFile = { body: Buffer; events: number; wasTruncated: boolean };

/** Who records. A browser can serve one run after the other, and one may have ended without a stop. */
const recorded = new WeakMap<Browser, Stage>();

export function isRecording(browser: Browser, stage: Stage): boolean {
  return recorded.get(browser) === stage;
}

export async function startTrace(browser: Browser, stage: Stage, categories: readonly string[]): Promise<void> {
  if (recorded.has(browser)) await browser.stopTracing();
  recorded.delete(browser);
  await browser.startTracing(stage.page, { categories: [...categories] });
  recorded.set(browser, stage);
}

export async function stopTrace(browser: Browser): Promise<TraceFile> {
  recorded.delete(browser);
  return boundedTrace(await browser.stopTracing());
}

/** Ends what the stage still records; nobody will ask for it. */
export async function dropTrace(stage: Stage): Promise<void> {
  const browser = stage.context.browser();
  if (!browser || !isRecording(browser, stage)) return;
  recorded.delete(browser);
  await browser.stopTracing();
}

/** Chromium writes one event a line; the first ones are kept, and what is kept is whole JSON. */
export function boundedTrace(trace: Buffer, most = mostBytes): TraceFile {
  const wasTruncated = trace.length > most;
  const body = wasTruncated ? cut(trace, most) : trace;
  return { body, events: eventsIn(body), wasTruncated };
}

function cut(trace: Buffer, most: number): Buffer {
  const end = trace.lastIndexOf('},\n', most - 10);
  return Buffer.concat([trace.subarray(0, end + 1), Buffer.from('\n]}\n')]);
}

function eventsIn(trace: Buffer): number {
  const { traceEvents = [] } = JSON.parse(trace.toString()) as { traceEvents?: readonly unknown[] };
  return traceEvents.length;
}
