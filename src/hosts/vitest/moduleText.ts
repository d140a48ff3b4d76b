// Builds the module that Vite loads for a document. The module begins with as many empty lines as the document has, so that line
// numbers agree, and ends with the code that declares the tests.
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
    `import { createTestBody } from ${quote(registerModule)};`,
    // Setup files run earlier, and may install fake timers.
    'const useRealTimers = () => vi.useRealTimers();',
    // Imported by a test, because listing tests does not need it.
    `const setup = ${setup === undefined ? 'undefined' : `() => import(${quote(setup)})`};`,
    `const options = ${quote(options)};`,
  ];
  const calls = tests.map(({ title, tags, identity }) => {
    // No test timeout, because every node has its own timeout. Vitest 5 parses titles from this code when it lists tests.
    const details = { tags, timeout: 0, meta: { recipewright: identity } };
    return `test(${quote(title)}, ${quote(details)}, createTestBody(${quote(identity)}, { options, setup, useRealTimers }));`;
  });
  const segments: Segment[][] = [
    ...lines.map((line, index) => segmentsOfLine(line, index)),
    ...head.map(() => []),
    ...tests.map(({ place: { line, column } }) => [{ at: 0, line: line - 1, column: column - 1 }]),
  ];
  return { code: [...lines.map(() => ''), ...head, ...calls, ''].join('\n'), map: encodeSourceMap(file, text, segments) };
}

// Errors point at nodes, fields and titles, which begin with a quote, and at examples, which begin with the first bracket of a line.
function segmentsOfLine(text: string, line: number): Segment[] {
  const segments: Segment[] = [{ at: 0, line, column: 0 }];
  const first = text.length - text.trimStart().length;
  if (first > 0 && text[first] !== '"' && first < text.length) segments.push({ at: first, line, column: first });
  for (let at = text.indexOf('"', 1); at !== -1; at = text.indexOf('"', at + 1)) segments.push({ at, line, column: at });
  return segments;
}

/** One mapping of a source map: `at` is the column in the generated line. All numbers count from 0. */
type Segment = { at: number; line: number; column: number };

export type SourceMap = {
  version: 3;
  file: string;
  sources: string[];
  sourcesContent: string[];
  names: string[];
  mappings: string;
};

function encodeSourceMap(file: string, text: string, lines: readonly (readonly Segment[])[]): SourceMap {
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

/** Base64 VLQ, as source maps use it: five bits a digit, the sign in the lowest bit. */
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
