// Lines and columns of a text, and of what a JSON pointer leads to in it; worked out when first asked for.
import type { Place } from './finding.js';
import { type Outline, outlineText, stringAt } from './outlineText.js';

/** Lines and columns count from 1; a column is a UTF-16 unit, as editors count. */
export function placesIn(file: string, text: string): (offset: number) => Place {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file, line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Where a pointer's key or value stands; a pointer that leads nowhere has the place of the last thing on its way that is there. */
export function pointersIn(text: string): (pointer: string, part: 'key' | 'value') => number {
  let outline: Outline | undefined;
  const known = new Map<number, Map<string, number>>();
  return (pointer, part) => {
    outline ??= outlineText(text);
    let entry = 0;
    for (const segment of segmentsOf(pointer)) {
      const held = known.get(entry) ?? childrenOf(text, outline, entry);
      known.set(entry, held);
      const next = held.get(segment);
      if (next === undefined) break;
      entry = next;
    }
    return (part === 'key' ? outline.keys[entry] : outline.values[entry]) ?? 0;
  };
}

function childrenOf(text: string, { keys, values, after }: Outline, entry: number): Map<string, number> {
  const children = new Map<string, number>();
  const isObject = text[values[entry] ?? 0] === '{';
  const end = after[entry] ?? 0;
  for (let child = entry + 1; child < end; child = after[child] ?? end) {
    children.set(isObject ? stringAt(text, keys[child] ?? 0) : String(children.size), child);
  }
  return children;
}

function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
