// Bytes to a checked JSON tree that knows the line and column of every key and value.
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Finding, Place } from './finding.js';
import { joinPointer } from './pointer.js';

export type Document = {
  file: string;
  text: string;
  value: unknown;
  /** Where a pointer's key stands (or its value, for array items, the root, or when asked). */
  place(pointer: string, part?: 'key' | 'value'): Place;
};

export type ReadLimits = { bytes: number; depth: number };
export const readLimits: ReadLimits = { bytes: 5_000_000, depth: 64 };

export type Read = { document?: Document; text: string; findings: Finding[] };

export function readDocument(file: string, bytes: Uint8Array, limits = readLimits): Read {
  const decoded = decode(bytes, limits);
  const text = typeof decoded === 'string' ? decoded : '';
  const placeAt = placesIn(file, text);
  const problem = (code: string, offset: number, message: string, hint?: string): Finding => ({
    ...{ code, severity: 'error', path: '', place: placeAt(offset), message },
    ...(hint ? { hint } : {}),
  });
  if (typeof decoded !== 'string') return { text, findings: [problem(decoded.code, 0, decoded.message, decoded.hint)] };

  const tooDeep = findTooDeep(text, limits.depth);
  if (tooDeep !== undefined) {
    return { text, findings: [problem('document.too_deep', tooDeep, `The document nests deeper than ${limits.depth} levels.`)] };
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  if (errors.length > 0 || root === undefined) {
    const first = errors[0];
    const what = first ? printParseErrorCode(first.error) : 'ValueExpected';
    return {
      text,
      findings: [problem('document.invalid_json', first?.offset ?? 0, `The file is not valid JSON: ${words(what)}.`)],
    };
  }
  const { positions, repeated } = indexTree(root);
  const findings = repeated.map(({ pointer, name, first, second }) => ({
    ...problem(
      'document.duplicate_key',
      second,
      `The key ${JSON.stringify(name)} is already given on line ${placeAt(first).line}.`,
    ),
    path: pointer,
    hint: 'JSON readers keep only one of them. Remove or rename one.',
  }));
  if (findings.length > 0) return { text, findings };
  const place: Document['place'] = (pointer, part = 'key') => {
    const position = positions.get(pointer);
    return placeAt(position === undefined ? 0 : part === 'key' ? position.key : position.value);
  };
  return { document: { file, text, value: JSON.parse(text) as unknown, place }, text, findings };
}

function decode(bytes: Uint8Array, limits: ReadLimits): string | { code: string; message: string; hint?: string } {
  if (bytes.length > limits.bytes) {
    return { code: 'document.too_large', message: `The file has ${bytes.length} bytes, more than the limit of ${limits.bytes}.` };
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // TypeError (ERR_ENCODING_INVALID_ENCODED_DATA) is what a fatal decoder throws on bytes that are not UTF-8.
    return { code: 'document.not_utf8', message: 'The file is not UTF-8 text.', hint: 'Save it as UTF-8.' };
  }
}

// The parser recurses, so the depth is measured on the text first.
function findTooDeep(text: string, limit: number): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth > limit) return at;
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

type Position = { key: number; value: number };
type Repeated = { pointer: string; name: string; first: number; second: number };

function indexTree(root: Node): { positions: Map<string, Position>; repeated: Repeated[] } {
  const positions = new Map<string, Position>([['', { key: root.offset, value: root.offset }]]);
  const repeated: Repeated[] = [];
  const visit = (node: Node, pointer: string): void => {
    for (const [index, child] of (node.children ?? []).entries()) {
      const [name, value] = node.type === 'object' ? (child.children ?? []) : [undefined, child];
      if (value === undefined) continue;
      const at = joinPointer(pointer, name === undefined ? String(index) : String(name.value));
      const known = positions.get(at);
      if (known && name) {
        repeated.push({ pointer: at, name: String(name.value), first: known.key, second: name.offset });
        continue;
      }
      positions.set(at, { key: (name ?? value).offset, value: value.offset });
      visit(value, at);
    }
  };
  visit(root, '');
  return { positions, repeated };
}

function placesIn(file: string, text: string): (offset: number) => Place {
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

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function words(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
