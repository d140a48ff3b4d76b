// A file of a package over HTTP, whole or the stretch that was asked for: nobody can move about in a video without.
import type { IncomingHttpHeaders } from 'node:http';
import { readFrom } from '../../system/readFrom.js';

export type Answer = { status: number; headers: Record<string, string | number>; body: string | Buffer };

const largest = 256_000_000;

/** Undefined when there is no such file in `root`, or it is too large to be sent. */
export function fileAnswer(root: string, file: string, headers: IncomingHttpHeaders): Answer | undefined {
  const read = (offset: number, limit: number) => readFrom({ root, file, offset, limit });
  const looked = read(0, 0);
  if (!looked || 'outside' in looked) return undefined;
  const { size } = looked;
  const range = rangeAsked(headers, size);
  if (range === 'none') return { status: 416, headers: { 'content-range': `bytes */${size}` }, body: '' };
  const { first, last } = range ?? { first: 0, last: size - 1 };
  const piece = last - first < largest ? read(first, last - first + 1) : undefined;
  if (!piece || 'outside' in piece) return undefined;
  const { bytes: body } = piece;
  const said = range && { 'content-range': `bytes ${first}-${first + body.length - 1}/${size}` };
  return { status: range ? 206 : 200, headers: { 'accept-ranges': 'bytes', ...said }, body };
}

type Range = { first: number; last: number };

/** Undefined asks for all of it: so does what we do not know, as HTTP wants it. */
function rangeAsked({ range, 'if-range': ifRange }: IncomingHttpHeaders, size: number): Range | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  // We name no version of a file, so that it is never the one that somebody has a part of.
  if ((first === '' && last === '') || ifRange !== undefined) return undefined;
  const asked =
    first === ''
      ? { first: Math.max(0, size - Number(last)), last: size - 1 }
      : { first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  return asked.first <= asked.last ? asked : 'none';
}
