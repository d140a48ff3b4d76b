// Front matter read as the YAML it is. What cannot be represented in a recipe is refused, and nothing is lost on the way.
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { isObject } from './templateNode.js';
import type { Raw } from './templateRecipe.js';

/** `line` and `column` count from the first line of the front matter. */
export type MatterFault = { line: number; column: number; message: string };

export type FrontMatter = {
  value: Raw;
  faults: MatterFault[];
  /** Where the key of a pointer stands. */
  place(keys: readonly string[]): { line: number; column: number };
};

export function readFrontMatter(text: string): FrontMatter {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { version: '1.2', schema: 'core', lineCounter: lines, prettyErrors: false });
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  // A warning is about what was not understood, such as a tag: it would be lost.
  const said = [...document.errors, ...document.warnings].map(({ pos, message }) => ({ offset: pos[0], message: `${message}.` }));
  const found = said.length > 0 ? said : lossesIn(document);
  const faults = found.map(({ offset, message }) => ({ ...at(offset), message }));
  // What is refused is not looked at any further: aliases may make very much of very little.
  if (faults.length > 0) return { value: {}, faults, place: () => ({ line: 1, column: 1 }) };
  const value: unknown = document.contents === null ? {} : document.toJS();
  if (!isObject(value)) faults.push({ line: 1, column: 1, message: 'The front matter must be a map of names to values.' });
  const place = (keys: readonly string[]) => at(offsetOf(document.contents, keys));
  return { value: isObject(value) ? value : {}, faults, place };
}

// Loaded when the first recipe in Markdown comes: start-up is a feature.
let loaded: typeof Yaml | undefined;

function yaml(): typeof Yaml {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml;
  return loaded;
}

type Loss = { offset: number; message: string };

function lossesIn(document: Yaml.Document.Parsed): Loss[] {
  const losses: Loss[] = [];
  yaml().visit(document, {
    Scalar: (_, { value, range, source }) => {
      const message = unfit(value, source);
      if (message !== undefined) losses.push({ offset: range?.[0] ?? 0, message });
    },
    Alias: (_, { source, range }) => {
      const message = `*${source} refers to another place, which a recipe cannot do. Write the value out.`;
      losses.push({ offset: range?.[0] ?? 0, message });
    },
  });
  return losses;
}

function unfit(value: unknown, source: string | undefined): string | undefined {
  if (value === '__proto__') return '"__proto__" cannot be a name here. Rename it.';
  if (typeof value !== 'number' || (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))))
    return undefined;
  return `${source ?? value} is a number that cannot be kept exactly. Put it in quotes.`;
}

function offsetOf(contents: Yaml.ParsedNode | null, keys: readonly string[]): number {
  const { isMap, isScalar } = yaml();
  let offset = 0;
  let node: Yaml.Node | null = contents;
  for (const key of keys) {
    if (!isMap(node)) break;
    const pair = node.items.find(({ key: named }) => isScalar(named) && String(named.value) === key);
    if (!pair || !isScalar(pair.key)) break;
    offset = pair.key.range?.[0] ?? offset;
    node = pair.value as Yaml.Node | null;
  }
  return offset;
}
