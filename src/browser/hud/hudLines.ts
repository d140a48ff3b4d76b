// What the HUD says: one line for a person, and what a project asked to see below it.
import { type HudDisplay, lookOf } from './display.js';
import type { Painted, Part } from './paintHud.js';
import { roomStyle } from './style.js';

export type HudStatus = 'running' | 'pass' | 'fail' | 'skip' | 'complete' | 'unknown';

export type HudState = {
  status: HudStatus;
  /** How many nodes have begun, of how many; undefined before the first. */
  count?: { current: number; total: number } | undefined;
  title?: string | undefined;
  intent: string;
  detail?: string | undefined;
  /** Where we are, in the words of the recipe. */
  debug?: string | undefined;
  /** What the node failed of. */
  error?: string | undefined;
};

const words: Readonly<Record<HudStatus, string>> = {
  ...{ running: 'RUN', pass: 'PASS', fail: 'FAIL', skip: 'SKIP' },
  ...{ complete: 'DONE', unknown: 'END' },
};

export function hudLines(state: HudState, display: HudDisplay): Painted {
  const { status, count, title, intent } = state;
  const parts: Part[] = [{ name: 'status', text: words[status] }];
  if (count) parts.push({ name: 'count', text: `${count.current}/${Math.max(count.current, count.total)}` });
  if (display.showTitle && title) parts.push({ name: 'title', text: title });
  parts.push({ name: 'intent', text: intent });
  const { classes, width } = lookOf(display);
  const room = display.layout === 'docked-bottom' ? roomStyle : undefined;
  return { classes: [...classes, status], width, parts, lines: linesBelow(state, display), room };
}

const errorLines = 2;

function linesBelow({ detail, debug, error }: HudState, display: HudDisplay): Painted['lines'] {
  const lines: (Part & { most: number })[] = [];
  const { showDetail, showDebug, maxDetailLines: most = 2 } = display;
  if (error) lines.push({ name: 'error', text: error, most: errorLines });
  if (showDetail && detail && most > 0) lines.push({ name: 'detail', text: detail, most });
  if (showDebug && debug) lines.push({ name: 'debug', text: debug, most: 2 });
  return lines;
}

const longestError = 180;

/** Of a message of many lines the first that says something, without the lines of a stack. */
export function errorLine(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '' && !/^\s*at /.test(line));
  const text = (lines[0] ?? '').trim();
  return text.length > longestError ? `${text.slice(0, longestError - 1)}…` : text;
}
