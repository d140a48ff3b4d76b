// Masks a stream of bytes, wherever it is cut into chunks.
import { type Located, locate, render } from './locate.js';
import type { Matcher } from './matcher.js';

export type Redactor = {
  /** What is certain by now; what could still become a secret is held back. */
  write(chunk: Buffer): Buffer;
  /** What was held back. */
  end(): Buffer;
  /** The names of the secrets that were met so far. */
  readonly found: ReadonlySet<string>;
};

export const idleRedactor: Redactor = { write: (chunk) => chunk, end: () => Buffer.alloc(0), found: new Set() };

export type Masks = { matcher: Matcher; names: readonly string[]; masks: readonly Buffer[] };

export function openRedactor({ matcher, names, masks }: Masks): Redactor {
  const found = new Set<string>();
  let held = Buffer.alloc(0);
  let covered = 0;
  const mask = (label: number): Buffer => masks[label] as Buffer;
  const advance = (bytes: Buffer, located: Located, to: number): Buffer => {
    const rendered = render(bytes, located.hits, { covered, to, mask });
    covered = rendered.covered;
    for (const { start, label } of located.hits) if (start < to) found.add(names[label] as string);
    // A copy, since the owner of the chunk may fill it again.
    held = Buffer.from(bytes.subarray(to));
    return rendered.pieces.length === 1 ? (rendered.pieces[0] as Buffer) : Buffer.concat(rendered.pieces);
  };
  return {
    found,
    write(chunk) {
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const located = locate(matcher, bytes);
      return advance(bytes, located, certain(matcher, bytes, located));
    },
    end: () => advance(held, locate(matcher, held), held.length),
  };
}

/** Up to where nothing that comes can change what is masked. */
function certain(matcher: Matcher, bytes: Buffer, { views, masks }: Located): number {
  const gaps = views.flatMap((view) => view.gaps);
  const undecided = views.map((view) => view.at[matcher.undecided(view.bytes)] ?? bytes.length);
  // A sequence at the very end may go on.
  const open = gaps.filter(({ end }) => end === bytes.length).map(({ start }) => start);
  let to = Math.min(matcher.undecided(bytes), ...undecided, ...open);
  const whole = [...masks, ...gaps];
  // Neither a mask nor an escape sequence is understood from its middle on.
  for (let cut = whole.find(inside); cut; cut = whole.find(inside)) to = cut.start;
  return to;

  function inside({ start, end }: { start: number; end: number }): boolean {
    return start < to && to < end;
  }
}
