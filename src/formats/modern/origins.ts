// Records where each part of a translated classic document was written.
import { joinPointer } from '../../document/jsonPointer.js';
import type { Document } from '../../document/readDocument.js';
import type { CompiledRecipe } from '../../recipe/recipe.js';
import { existingKeys } from './problemReporter.js';

/** A part of an authored document. */
export type AuthoredPart = { document: Document; keys: readonly string[] };

/** A part of the classic document, and the sources of those of its parts that were moved. */
export type TranslatedPart<T> = { json: T; moved: readonly MovedPart[] };

export type MovedPart = readonly [keys: readonly string[], from: AuthoredPart];

export class Origins {
  private readonly sources = new Map<string, AuthoredPart>();

  constructor(root: AuthoredPart) {
    this.sources.set('', root);
  }

  /** Records the source of a part and of its moved parts, and returns the part. */
  recordSource<T>(keys: readonly string[], from: AuthoredPart, { json, moved }: TranslatedPart<T>): T {
    this.sources.set(joinPointer('', ...keys), from);
    for (const [inner, source] of moved) this.sources.set(joinPointer('', ...keys, ...inner), source);
    return json;
  }

  /**
   * Returns the place where a part was written. A part that was not moved has the same path in its source. An added part has the
   * place of its parent.
   */
  readonly place: CompiledRecipe['origin'] = (pointer, part) => {
    const { document, pointer: authored } = this.locate(pointer);
    return document.place(authored, part);
  };

  /** The pointer of a part in its authored document. */
  readonly authored = (pointer: string): string => this.locate(pointer).pointer;

  private locate(pointer: string): { document: Document; pointer: string } {
    const keys = parsePointer(pointer);
    for (let length = keys.length; length >= 0; length--) {
      const source = this.sources.get(joinPointer('', ...keys.slice(0, length)));
      if (!source) continue;
      const { document } = source;
      return { document, pointer: joinPointer('', ...existingKeys(document.value, [...source.keys, ...keys.slice(length)])) };
    }
    throw new Error(`No source is recorded for ${pointer}, not even for the whole document. This is a bug in recipewright.`);
  }
}

/** Creates a part without moved parts. */
export function createPart<T>(json: T): TranslatedPart<T> {
  return { json, moved: [] };
}

function parsePointer(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
