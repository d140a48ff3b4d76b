// Where each part of a classic document was written, when it was made from other documents.
import { joinPointer } from '../../document/jsonPointer.js';
import type { Document } from '../../document/readDocument.js';
import type { CompiledRecipe } from '../../recipe/recipe.js';
import { standing } from './report.js';

/** A part of an authored document. */
export type Source = { document: Document; keys: readonly string[] };

/** A part of the classic document, and where parts of it come from that do not stand where they stood. */
export type Made<T> = { json: T; moved: readonly Moved[] };

export type Moved = readonly [keys: readonly string[], from: Source];

export class Origins {
  private readonly sources = new Map<string, Source>();

  constructor(root: Source) {
    this.sources.set('', root);
  }

  /** Says where a part and its own parts come from, and gives it back. */
  put<T>(keys: readonly string[], from: Source, { json, moved }: Made<T>): T {
    this.sources.set(joinPointer('', ...keys), from);
    for (const [inner, source] of moved) this.sources.set(joinPointer('', ...keys, ...inner), source);
    return json;
  }

  /** What was not moved stands in its source where it stands here; what was added is shown where the part around it was written. */
  readonly place: CompiledRecipe['origin'] = (pointer, part) => {
    const { document, pointer: authored } = this.locate(pointer);
    return document.place(authored, part);
  };

  /** The pointer of a part in the document where it was written. */
  readonly authored = (pointer: string): string => this.locate(pointer).pointer;

  private locate(pointer: string): { document: Document; pointer: string } {
    const keys = keysOf(pointer);
    for (let length = keys.length; length >= 0; length--) {
      const source = this.sources.get(joinPointer('', ...keys.slice(0, length)));
      if (!source) continue;
      const { document } = source;
      return { document, pointer: joinPointer('', ...standing(document.value, [...source.keys, ...keys.slice(length)])) };
    }
    throw new Error(`Nothing is known about ${pointer}, not even about the whole.`);
  }
}

/** A part that stands in the classic document as it stood in its source, or one that was added. */
export function made<T>(json: T): Made<T> {
  return { json, moved: [] };
}

function keysOf(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
