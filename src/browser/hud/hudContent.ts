// Builds the text of the HUD from the state of a run and the display options of the project.
import { type HudDisplay, toHudClasses } from './hudDisplay.js';
import { type HudContent, type HudPart, roomStyle } from './paintHud.js';

type HudStatus = 'running' | 'pass' | 'fail' | 'skip' | 'complete' | 'unknown';

export type HudState = {
  status: HudStatus;
  /** The number of the current node and the total number of nodes. Undefined before the first node. */
  count?: { current: number; total: number } | undefined;
  title?: string | undefined;
  intent: string;
  detail?: string | undefined;
  /** Run path, action, phase and claim. */
  debug?: string | undefined;
  /** The first line of the node's error. */
  error?: string | undefined;
};

const statusLabels: Readonly<Record<HudStatus, string>> = {
  running: 'RUN',
  pass: 'PASS',
  fail: 'FAIL',
  skip: 'SKIP',
  complete: 'DONE',
  unknown: 'END',
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
  const lines: (HudPart & { maxLines: number })[] = [];
  const { showDetail, showDebug, maxDetailLines: maxLines = 2 } = display;
  if (error) lines.push({ name: 'error', text: error, maxLines: maxErrorLines });
  if (showDetail && detail && maxLines > 0) lines.push({ name: 'detail', text: detail, maxLines });
  if (showDebug && debug) lines.push({ name: 'debug', text: debug, maxLines: 2 });
  return lines;
}

const maxErrorLength = 180;

/** The first line of a message that is neither empty nor part of a stack trace. */
export function firstErrorLine(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '' && !/^\s*at /.test(line));
  const text = (lines[0] ?? '').trim();
  return text.length > maxErrorLength ? `${text.slice(0, maxErrorLength - 1)}…` : text;
}
