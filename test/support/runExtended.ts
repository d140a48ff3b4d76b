// Runs a recipe with custom actions and other extensions, in a directory that exists until the end of the test.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Finding } from '../../src/document/finding.js';
import type { TraceEntry } from '../../src/evidence/trace.js';
import type { Summary } from '../../src/evidence/writePackage.js';
import { type RunOptions, runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { filesBelow } from './packages.js';

export type Added = Omit<RunOptions, 'recipe' | 'artifactsDir' | 'projectRoot'> & { files?: Record<string, string> };

export type ExtendedRun = {
  root: string;
  exitCode: number;
  findings: readonly Finding[];
  /** The codes of the findings that are errors. */
  refused: string[];
  summary: Summary;
  trace: readonly TraceEntry[];
  ids: string[];
  /** Returns the content of a file of the project. */
  read(name: string): string | undefined;
  /** Returns the names and contents of all files of the package as one string. */
  everything(): string;
};

/** For a refused run, summary and trace are empty. */
export async function runExtended(recipe: unknown, { files = {}, ...options }: Added = {}): Promise<ExtendedRun> {
  const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  for (const [name, text] of Object.entries({ ...files, 'a.recipe.json': JSON.stringify(recipe) })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const out = join(root, 'out');
  const result = await runRecipe(join(root, 'a.recipe.json'), { ...options, artifactsDir: out, projectRoot: root });
  const { findings, exitCode } = result;
  const trace = result.ran ? result.trace : [];
  return {
    ...{ root, exitCode, findings, trace, ids: trace.map(({ nodeId }) => nodeId) },
    refused: findings.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    summary: result.ran ? result.summary : ({} as Summary),
    read: (name) => (existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : undefined),
    everything: () =>
      existsSync(out)
        ? filesBelow(out)
            .map((name) => `${name}\n${readFileSync(join(out, name), 'latin1')}`)
            .join('\n')
        : '',
  };
}
