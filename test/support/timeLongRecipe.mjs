// Checks one recipe of many nodes with the built package and prints how long that took: node timeLongRecipe.mjs <nodes>
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkFile, officialActions } from '../../dist/index.js';

const count = Number(process.argv[2]);
const folder = mkdtempSync(path.join(tmpdir(), 'long-recipe-'));
const file = path.join(folder, 'long.recipe.json');
const nodes = Object.fromEntries(
  Array.from({ length: count - 1 }, (_, index) => [
    `n${index}`,
    { action: 'command', intent: `Do the work of step ${index}`, cmd: 'true', next: `n${index + 1}` },
  ]),
);
nodes[`n${count - 1}`] = { action: 'end', status: 'pass' };
writeFileSync(file, JSON.stringify({ schema_version: 1, validate: { workflow: { entry: 'n0', nodes } } }));
try {
  const started = performance.now();
  const limits = { bytes: 100_000_000, nodes: 200_000 };
  const { findings } = checkFile(file, { vocabulary: officialActions, projectRoot: folder, limits });
  console.log(JSON.stringify({ ms: performance.now() - started, findings }));
} finally {
  rmSync(folder, { recursive: true });
}
