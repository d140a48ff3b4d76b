// Computes the lines of text in the box of a node, and the height of the box.
import { formatDuration } from '../formatDuration.js';
import { escapeInvisible } from '../html.js';
import type { BoardNode } from './board.js';
import { boxWidth } from './layoutBoard.js';
import type { Visits } from './pathTaken.js';

export type TextLine = { text: string; style: 'title' | 'meta' | 'note' | 'claim' | 'result'; size: number };

export type BoxText = { lines: readonly TextLine[]; height: number };

const padding = 12;
const leading = 1.4;

export const boxPadding = { x: 14, y: padding };

const sizes = { title: 13, meta: 11, note: 11, claim: 11, result: 11 } as const;

export function boxText(node: BoardNode, visits: Visits | undefined, hasRun: boolean): BoxText {
  const lines = boxLines(node, hasRun && node.kind !== 'case' ? describeVisits(visits) : undefined);
  return { lines, height: Math.ceil(lines.reduce((sum, { size }) => sum + size * leading, 0)) + 2 * padding - 4 };
}

export function lineHeight({ size }: TextLine): number {
  return size * leading;
}

function boxLines({ kind, title, id, action, claims, notes }: BoardNode, result: string | undefined): TextLine[] {
  if (kind === 'case') return wrapLines('note', title, 3);
  const meta = kind === 'end' || action === '' ? id : `${id} · ${action}`;
  return [
    ...wrapLines('title', title, 3),
    ...wrapLines('meta', meta, 1),
    ...notes.flatMap((note) => wrapLines('note', note, 2)),
    ...(claims.length > 0 ? wrapLines('claim', `◆ proves ${claims.join(', ')}`, 2) : []),
    ...(result === undefined ? [] : wrapLines('result', result, 1)),
  ];
}

export function isBold(style: TextLine['style']): boolean {
  return style === 'title' || style === 'claim';
}

function wrapLines(style: TextLine['style'], text: string, lines: number): TextLine[] {
  const size = sizes[style];
  // The lines of the title leave room for the sign of the result in the corner.
  const width = boxWidth - 2 * boxPadding.x - (style === 'title' ? 20 : 0);
  return wrapText(escapeInvisible(text), { size, width, lines, bold: isBold(style) }).map((line) => ({
    text: line,
    style,
    size,
  }));
}

/** Describes the order, the result, the duration and the number of visits, for example "2. passed · 10 ms · 2 times". */
export function describeVisits(visits: Visits | undefined): string {
  if (!visits) return 'not reached';
  const times = visits.count > 1 ? ` · ${visits.count} times` : '';
  const duration = visits.running > 0 ? '' : ` · ${formatDuration(visits.ms)}`;
  return `${visits.order + 1}. ${signWord(visits)}${duration}${times}`;
}

/** `soft`: the failure was tolerated. `run`: the node is still running. */
export type VisitSign = 'pass' | 'fail' | 'skip' | 'soft' | 'run' | 'none';

export function visitSign(visits: Visits | undefined): VisitSign {
  if (!visits) return 'none';
  if (visits.failed > 0) return 'fail';
  if (visits.running > 0) return 'run';
  if (visits.tolerated > 0) return 'soft';
  return visits.skipped === visits.count ? 'skip' : 'pass';
}

const signWords: Readonly<Record<VisitSign, string>> = {
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
  soft: 'failed, tolerated',
  run: 'is running',
  none: '',
};

function signWord(visits: Visits): string {
  if (visits.unfinished > 0) return 'did not finish';
  return signWords[visitSign(visits)];
}

const narrow = /[iljtfr.,:;'|!()[\]{}/ -]/;
const broad = /[A-Zw&]/;
const broadest = /[mMW@%—…→◆▸]/;

/** Estimates the width of a text without a browser. It assumes DejaVu Sans, the widest of the common fonts. */
export function textWidth(text: string, { size, bold = false }: Pick<TextFit, 'size' | 'bold'>): number {
  let ems = 0;
  for (const char of text) ems += widthOf(char);
  return ems * size * (bold ? 1.12 : 1);
}

function widthOf(char: string): number {
  if ((char.codePointAt(0) ?? 0) >= 0x1100) return 1.1;
  if (narrow.test(char)) return 0.4;
  if (broadest.test(char)) return 1;
  return broad.test(char) ? 0.82 : 0.64;
}

type TextFit = { size: number; width: number; lines: number; bold?: boolean };

/** Wraps a text to at most `fit.lines` lines. A text that does not fit ends with an ellipsis. */
function wrapText(text: string, fit: TextFit): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text
    .trim()
    .split(/\s+/)
    .flatMap((long) => breakWord(long, fit))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer, fit) > fit.width) {
      lines.push(line);
      line = word;
    } else line = longer;
    if (lines.length > fit.lines) break;
  }
  lines.push(line);
  if (lines.length <= fit.lines) return lines;
  const visibleLines = lines.slice(0, fit.lines);
  return [...visibleLines.slice(0, -1), shorten(`${visibleLines.at(-1)} …`, fit)];
}

function shorten(text: string, fit: TextFit): string {
  let chars = [...text.replace(/ …$/, '')];
  while (chars.length > 0 && textWidth(`${chars.join('')}…`, fit) > fit.width) chars = chars.slice(0, -1);
  return `${chars.join('')}…`;
}

// Breaks a word that is wider than a line between any two characters.
function breakWord(word: string, fit: TextFit): string[] {
  if (textWidth(word, fit) <= fit.width) return [word];
  const parts: string[] = [];
  let part = '';
  for (const char of word) {
    if (parts.length > fit.lines) break;
    if (textWidth(part + char, fit) > fit.width) {
      parts.push(part);
      part = '';
    }
    part += char;
  }
  return [...parts, part];
}
