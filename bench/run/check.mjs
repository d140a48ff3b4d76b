// Checks a recipe with a chain of many nodes and raised limits, and prints the time: node bench/run/check.mjs <nodes>
// Checks one file in a new process, like a user. The start of the process does not count.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';
import { checkFile, officialActions } from '../../dist/index.js';

const count = Number(process.argv[2]);
const { longRecipe } = await createJiti(import.meta.url).import(
  fileURLToPath(new URL('../../test/support/longRecipe.ts', import.meta.url)),
);
const folder = mkdtempSync(path.join(tmpdir(), 'check-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'long.recipe.json');
writeFileSync(file, longRecipe(count));
const limits = { bytes: 100_000_000, nodes: 200_000 };
const startedAt = performance.now();
const { findings } = checkFile(file, { vocabulary: officialActions, projectRoot: folder, limits });
const ms = performance.now() - startedAt;
if (findings.length > 0) throw new Error(`The recipe of ${count} nodes has findings: ${JSON.stringify(findings[0])}`);
console.log(JSON.stringify({ ms }));
