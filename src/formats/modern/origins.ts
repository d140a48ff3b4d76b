// Where each part of a classic document was written, when it was made from other documents.
import { joinPointer } from '../../document/jsonPointer.js';
import type { Document } from '../../document/readDocument.js';
import type { CompiledRecipe } from '../../recipe/recipe.js';
import { existingKeys } from './problemReporter.js';

/** A part of an authored document. */
export type AuthoredPart = { document: Document; keys: readonly string[] };

/** A part of the classic document, and where parts of it come from that do not stand where they stood. */
export type TranslatedPart<T> = { json: T; moved: readonly MovedPart[] };

export type MovedPart = readonly [keys: readonly string[], from: AuthoredPart];

export class Origins {
  private readonly sources = new Map<string, AuthoredPart>();

  constructor(root: AuthoredPart) {
    this.sources.set('', root);
  }

  /** Says where a part and its own parts come from, and gives it back. */
  recordSource<T>(keys: readonly string[], from: AuthoredPart, { json, moved }: TranslatedPart<T>): T {
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
    const keys = parsePointer(pointer);
    for (let length = keys.length; length >= 0; length--) {
      const source = this.sources.get(joinPointer('', ...keys.slice(0, length)));
      if (!source) continue;
      const { document } = source;
      return { document, pointer: joinPointer('', ...existingKeys(document.value, [...source.keys, ...keys.slice(length)])) };
    }
    throw new Error(`Nothing is known about ${pointer}, not even about the whole.`);
  }
}

/** A part that stands in the classic document as it stood in its source, or one that was added. */
export function createPart<T>(json: T): TranslatedPart<T> {
  return { json, moved: [] };
}

function parsePointer(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
