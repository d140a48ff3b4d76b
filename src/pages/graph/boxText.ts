// What stands in the box of a node, line by line, and how high that makes it.
import { visible } from '../markup.js';
import type { BoardNode } from './board.js';
import { boxWidth } from './layoutBoard.js';
import type { Visits } from './pathTaken.js';
import { wrapText } from './textSize.js';

export type TextLine = { text: string; style: 'title' | 'meta' | 'note' | 'claim' | 'result'; size: number };

export type BoxText = { lines: readonly TextLine[]; height: number };

const padding = 12;
const leading = 1.4;

export const boxPadding = { x: 14, y: padding };

const sizes = { title: 13, meta: 11, note: 11, claim: 11, result: 11 } as const;

export function boxText(node: BoardNode, visits: Visits | undefined, hasRun: boolean): BoxText {
  const lines = linesOf(node, hasRun && node.kind !== 'case' ? resultOf(visits) : undefined);
  return { lines, height: Math.ceil(lines.reduce((sum, { size }) => sum + size * leading, 0)) + 2 * padding - 4 };
}

export function lineHeight({ size }: TextLine): number {
  return size * leading;
}

function linesOf({ kind, title, id, action, claims, notes }: BoardNode, result: string | undefined): TextLine[] {
  if (kind === 'case') return wrapped('note', title, 3);
  const meta = kind === 'end' || action === '' ? id : `${id} · ${action}`;
  return [
    ...wrapped('title', title, 3),
    ...wrapped('meta', meta, 1),
    ...notes.flatMap((note) => wrapped('note', note, 2)),
    ...(claims.length > 0 ? wrapped('claim', `◆ proves ${claims.join(', ')}`, 2) : []),
    ...(result === undefined ? [] : wrapped('result', result, 1)),
  ];
}

export function isBold(style: TextLine['style']): boolean {
  return style === 'title' || style === 'claim';
}

function wrapped(style: TextLine['style'], text: string, lines: number): TextLine[] {
  const size = sizes[style];
  // Room for the sign of what came of it.
  const width = boxWidth - 2 * boxPadding.x - (style === 'title' ? 20 : 0);
  return wrapText(visible(text), { size, width, lines, bold: isBold(style) }).map((line) => ({ text: line, style, size }));
}

/** What came of a node, in which turn, how long it took and how often. */
export function resultOf(visits: Visits | undefined): string {
  if (!visits) return 'not reached';
  const times = visits.count > 1 ? ` · ${visits.count} times` : '';
  const took = visits.running > 0 ? '' : ` · ${duration(visits.ms)}`;
  return `${visits.order + 1}. ${wordFor(visits)}${took}${times}`;
}

/** `run`: it is at work. */
export type Sign = 'pass' | 'fail' | 'skip' | 'soft' | 'run' | 'none';

export function signOf(visits: Visits | undefined): Sign {
  if (!visits) return 'none';
  if (visits.failed > 0) return 'fail';
  if (visits.running > 0) return 'run';
  if (visits.tolerated > 0) return 'soft';
  return visits.skipped === visits.count ? 'skip' : 'pass';
}

const words: Readonly<Record<Sign, string>> = {
  ...{ pass: 'passed', fail: 'failed', skip: 'skipped', soft: 'failed, tolerated', run: 'is running', none: '' },
};

function wordFor(visits: Visits): string {
  if (visits.unfinished > 0) return 'did not finish';
  return words[signOf(visits)];
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
