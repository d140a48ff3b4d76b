// The JSON pointer of what was being read where a text stops being JSON.
import { type Outline, stringAt } from './outlineText.js';
import { joinPointer } from './pointer.js';

export function stopPath(text: string, outline: Outline): string {
  const { open, keys, stop } = outline;
  const segments = open.map((entry, level) => {
    const inside = open[level + 1];
    if (inside === undefined) return stop?.key === undefined ? dueItem(text, outline, entry) : [stringAt(text, stop.key)];
    return [isObject(text, outline, entry) ? stringAt(text, keys[inside] ?? 0) : itemsBefore(outline, entry, inside)];
  });
  // Not as arguments of one call, since a text with raised limits can have more levels than a call has room for.
  return segments.flatMap((names) => names.map((name) => joinPointer('', name))).join('');
}

/** The item of an array that was due, unless it was found to be closed or to lack a comma. */
function dueItem(text: string, outline: Outline, entry: number): number[] {
  const { stop, values } = outline;
  const isDue = stop !== undefined && stop.expected !== 'comma' && !/[\]}]/.test(text[stop.offset] ?? '');
  return isDue && !isObject(text, outline, entry) ? [itemsBefore(outline, entry, values.length)] : [];
}

function itemsBefore({ after }: Outline, array: number, entry: number): number {
  let count = 0;
  for (let child = array + 1; child < entry; child = after[child] ?? entry) count++;
  return count;
}

function isObject(text: string, { values }: Outline, entry: number): boolean {
  return text[values[entry] ?? 0] === '{';
}
