// Where secrets stand in bytes, and the bytes with masks in their place.
import type { Hit, Matcher } from './matcher.js';
import { type Gap, type Visible, visibleBytes } from './visibleBytes.js';

/** The label of a mask: what stands inside of one is no secret. */
export const maskLabel = -1;

export type Located = { hits: readonly Hit[]; masks: readonly Gap[]; views: readonly Visible[] };

export function locate(matcher: Matcher, bytes: Buffer): Located {
  const views = visibleBytes(bytes);
  const plain = matcher.scan(bytes);
  const shown = views.flatMap((view) => shownHits(matcher, view));
  const found = shown.length === 0 ? plain : [...plain, ...shown].sort((a, b) => a.start - b.start || b.end - a.end);
  if (found.length === 0) return { hits: found, masks: [], views };
  const masks = found.filter(({ label }) => label === maskLabel);
  return { hits: found.filter(outside(masks)), masks, views };
}

function shownHits(matcher: Matcher, { bytes, at }: Visible): Hit[] {
  return matcher
    .scan(bytes)
    .map(({ start, end, label }) => ({ start: at[start] as number, end: (at[end - 1] as number) + 1, label }));
}

// Both are in order, and masks do not overlap.
function outside(masks: readonly Gap[]): (hit: Hit) => boolean {
  let next = 0;
  return ({ start, end, label }) => {
    while (next < masks.length && (masks[next] as Gap).end <= start) next++;
    const mask = masks[next];
    return label !== maskLabel && !(mask && mask.start <= start && end <= mask.end);
  };
}

export type Rendered = { pieces: Buffer[]; covered: number };

/** The bytes up to `to`; the first `covered` ones, and afterwards as many behind `to`, are under a mask that was given out before. */
export function render(
  bytes: Buffer,
  hits: readonly Hit[],
  range: { covered: number; to: number; mask(label: number): Buffer },
): Rendered {
  const pieces: Buffer[] = [];
  let done = range.covered;
  for (const { start, end, label } of hits) {
    if (start >= range.to) break;
    // Overlapping hits share the mask of the first.
    if (start >= done) pieces.push(bytes.subarray(done, start), range.mask(label));
    done = Math.max(done, end);
  }
  if (done < range.to) pieces.push(bytes.subarray(done, range.to));
  return { pieces, covered: Math.max(0, done - range.to) };
}
