// The line of a document that the command line asks for, as in `vitest run checkout.recipe.json:12`.
import { includesLine } from '../../document/lineRange.js';
import type { DeclaredTest } from '../shared/declaredTests.js';

/** Vitest wants the very line of a test: any line of what it stands for is taken for it. */
export function declaredAt(tests: readonly DeclaredTest[], file: string, argv: readonly string[] = process.argv): DeclaredTest[] {
  const asked = lineAskedFor(file, argv);
  if (asked === undefined) return [...tests];
  const inFlow = tests.filter(({ flow }) => flow === undefined || includesLine(flow, asked));
  // A line of a flow that is of none of its examples stands for all of them.
  const meant = inFlow.filter(({ example }) => example && includesLine(example, asked));
  const chosen = new Set(meant.length > 0 ? meant : inFlow);
  return tests.map((test) => (chosen.has(test) ? { ...test, place: { file, line: asked, column: 1 } } : test));
}

function lineAskedFor(file: string, argv: readonly string[]): number | undefined {
  const path = file.replaceAll('\\', '/');
  for (const arg of argv) {
    const [, name = '', line] = /^(.*\.(?:json|md)):(\d+)$/i.exec(arg) ?? [];
    if (line !== undefined && path.includes(name.replaceAll('\\', '/').replace(/^\.\//, ''))) return Number(line);
  }
  return undefined;
}
