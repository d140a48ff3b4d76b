// recipewright run --recipe F --artifacts-dir D [--json]
import { escapeControls, printFinding } from '../document/printFinding.js';
import { exitCodeOf, exitCodes } from '../evidence/failure.js';
import type { Summary } from '../evidence/package.js';
import { runRecipe } from '../hosts/plain/runRecipe.js';
import { UsageError } from './usage.js';

export async function run(options: { recipe?: unknown; artifactsDir?: unknown; json?: unknown }): Promise<number> {
  const { recipe, artifactsDir, json = false } = options;
  if (typeof recipe !== 'string') throw new UsageError('run needs --recipe <file>.');
  if (typeof artifactsDir !== 'string') throw new UsageError('run needs --artifacts-dir <dir>.');
  const result = await runRecipe({ recipe, artifactsDir, progress: (line) => process.stderr.write(`${line}\n`) });
  for (const finding of result.findings) process.stderr.write(`${printFinding(finding, result.text || undefined)}\n`);
  if (!result.ran) {
    if (json) print({ status: 'invalid', findings: result.findings });
    return exitCodes.invalid;
  }
  const { summary, dir } = result;
  if (json) print({ status: summary.status, reason: summary.reason, ...pathsIn(dir), summary });
  else process.stdout.write(inWords(summary, dir));
  return exitCodeOf(summary);
}

function inWords({ status, reason, proof }: Summary, dir: string): string {
  const claims = proof.map(
    ({ id, claim, status: said, reason: why }) => `  ${said.padEnd(8)} ${id}: ${claim}${why ? ` (${why})` : ''}\n`,
  );
  return escapeControls(`Recipe run: ${status} (${reason})\n${claims.join('')}Artifacts: ${dir}\n`);
}

function pathsIn(dir: string): Record<string, string> {
  const names = {
    recipePath: 'recipe.json',
    summaryPath: 'summary.json',
    tracePath: 'trace.json',
    artifactManifestPath: 'artifact-manifest.json',
  };
  return { artifactsDir: dir, ...Object.fromEntries(Object.entries(names).map(([key, name]) => [key, `${dir}/${name}`])) };
}

function print(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
