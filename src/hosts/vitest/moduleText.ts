// The module a document becomes: as many empty lines as the document has, so that every line of one is that line of the other,
// and below them the code that declares its tests.
import type { Place } from '../../document/finding.js';
import { type Segment, sourceMap } from './sourceMap.js';

/** `tests`: where each of them stands in the document. */
export type ModuleParts = {
  file: string;
  text: string;
  registerModule: string;
  setup?: string | undefined;
  tests: readonly Place[];
  imports?: readonly string[];
  options: object;
};

export function moduleText({ file, text, registerModule, setup, tests, imports = [], options }: ModuleParts) {
  const lines = text.split('\n');
  const quote = JSON.stringify;
  const head = [
    `import { test } from 'vitest';`,
    `import { declareTests } from ${quote(registerModule)};`,
    setup === undefined ? 'const setup = {};' : `import * as setup from ${quote(setup)};`,
    ...imports.map((name) => `import ${quote(name)};`),
    `const tests = await declareTests(${quote(file)}, ${quote(options)}, setup);`,
  ];
  const calls = tests.map((_, index) => `tests.declare(${index}, test);`);
  const segments: Segment[][] = [
    ...lines.map((line, index) => quotesIn(line, index)),
    ...head.map(() => []),
    ...tests.map(({ line, column }) => [{ at: 0, line: line - 1, column: column - 1 }]),
  ];
  return { code: [...lines.map(() => ''), ...head, ...calls, ''].join('\n'), map: sourceMap(file, text, segments) };
}

// A node, a field and a title begin with a quote: those are the places that errors point to.
function quotesIn(text: string, line: number): Segment[] {
  const segments: Segment[] = [{ at: 0, line, column: 0 }];
  for (let at = text.indexOf('"', 1); at !== -1; at = text.indexOf('"', at + 1)) segments.push({ at, line, column: at });
  return segments;
}
