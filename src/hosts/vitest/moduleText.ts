// The module a document becomes: as many empty lines as the document has, so that every line of one is that line of the other,
// and below them the code that declares its tests.
import type { DeclaredTest } from '../shared/declaredTests.js';
import type { TestOptions } from './runInTest.js';

export type ModuleParts = {
  file: string;
  text: string;
  registerModule: string;
  setup?: string | undefined;
  tests: readonly DeclaredTest[];
  options: TestOptions;
};

const quote = JSON.stringify;

export function buildModuleText(parts: ModuleParts): { code: string; map: SourceMap } {
  const { file, text, registerModule, setup, tests, options } = parts;
  const lines = text.split('\n');
  const head = [
    `import { test, vi } from 'vitest';`,
    `import { runRecipeTest } from ${quote(registerModule)};`,
    // Setup files run before this, and may turn on fake timers.
    'const useRealTimers = () => vi.useRealTimers();',
    // Listing the tests needs none of it.
    `const setup = ${setup === undefined ? 'undefined' : `() => import(${quote(setup)})`};`,
    `const options = ${quote(options)};`,
  ];
  const calls = tests.map(({ title, tags, identity }) => {
    // Every node has a deadline of its own. Vitest 5 reads titles out of the text when it lists tests.
    const details = { tags, timeout: 0, meta: { recipewright: identity } };
    return `test(${quote(title)}, ${quote(details)}, runRecipeTest(${quote(identity)}, { options, setup, useRealTimers }));`;
  });
  const segments: Segment[][] = [
    ...lines.map((line, index) => segmentsOfLine(line, index)),
    ...head.map(() => []),
    ...tests.map(({ place: { line, column } }) => [{ at: 0, line: line - 1, column: column - 1 }]),
  ];
  return { code: [...lines.map(() => ''), ...head, ...calls, ''].join('\n'), map: encodeSourceMap(file, text, segments) };
}

// A node, a field and a title begin with a quote, an example with the bracket that its line begins with: errors point there.
function segmentsOfLine(text: string, line: number): Segment[] {
  const segments: Segment[] = [{ at: 0, line, column: 0 }];
  const first = text.length - text.trimStart().length;
  if (first > 0 && text[first] !== '"' && first < text.length) segments.push({ at: first, line, column: first });
  for (let at = text.indexOf('"', 1); at !== -1; at = text.indexOf('"', at + 1)) segments.push({ at, line, column: at });
  return segments;
}

// A source map of one source, written segment by segment.

/** `at`: the column in the generated line; from 0, like the others. */
export type Segment = { at: number; line: number; column: number };

export type SourceMap = {
  version: 3;
  file: string;
  sources: string[];
  sourcesContent: string[];
  names: string[];
  mappings: string;
};

export function encodeSourceMap(file: string, text: string, lines: readonly (readonly Segment[])[]): SourceMap {
  let [line, column] = [0, 0];
  const mappings = lines.map((segments) => {
    let at = 0;
    return segments
      .map((segment) => {
        const encoded = [segment.at - at, 0, segment.line - line, segment.column - column].map(encodeVlq).join('');
        ({ at, line, column } = segment);
        return encoded;
      })
      .join(',');
  });
  return { version: 3, file, sources: [file], sourcesContent: [text], names: [], mappings: mappings.join(';') };
}

const base64Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A number in base 64, five bits a digit, its sign in the lowest bit. */
function encodeVlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += base64Digits[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}
