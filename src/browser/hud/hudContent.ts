// What the HUD says: one line for a person, and what a project asked to see below it.
import { type HudDisplay, toHudClasses } from './hudDisplay.js';
import { type HudContent, type HudPart, roomStyle } from './paintHud.js';

type HudStatus = 'running' | 'pass' | 'fail' | 'skip' | 'complete' | 'unknown';

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

const statusLabels: Readonly<Record<HudStatus, string>> = {
  ...{ running: 'RUN', pass: 'PASS', fail: 'FAIL', skip: 'SKIP' },
  ...{ complete: 'DONE', unknown: 'END' },
};

export function buildHudContent(state: HudState, display: HudDisplay): HudContent {
  const { status, count, title, intent } = state;
  const parts: HudPart[] = [{ name: 'status', text: statusLabels[status] }];
  if (count) parts.push({ name: 'count', text: `${count.current}/${Math.max(count.current, count.total)}` });
  if (display.showTitle && title) parts.push({ name: 'title', text: title });
  parts.push({ name: 'intent', text: intent });
  const { classes, width } = toHudClasses(display);
  const room = display.layout === 'docked-bottom' ? roomStyle : undefined;
  return { classes: [...classes, status], width, parts, lines: linesBelow(state, display), room };
}

const maxErrorLines = 2;

function linesBelow({ detail, debug, error }: HudState, display: HudDisplay): HudContent['lines'] {
  const lines: (HudPart & { most: number })[] = [];
  const { showDetail, showDebug, maxDetailLines: most = 2 } = display;
  if (error) lines.push({ name: 'error', text: error, most: maxErrorLines });
  if (showDetail && detail && most > 0) lines.push({ name: 'detail', text: detail, most });
  if (showDebug && debug) lines.push({ name: 'debug', text: debug, most: 2 });
  return lines;
}

const maxErrorLength = 180;

/** Of a message of many lines the first that says something, without the lines of a stack. */
export function firstErrorLine(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '' && !/^\s*at /.test(line));
  const text = (lines[0] ?? '').trim();
  return text.length > maxErrorLength ? `${text.slice(0, maxErrorLength - 1)}…` : text;
}
