// F37: memory use does not grow with the run. RECIPEWRIGHT_ALL=1 writes the 600 MB of the fault table. By default the test uses less data
// and less memory.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { expect, test } from 'vitest';
import { timeoutMs } from '../property/runCount.js';
import { directory } from '../unit/evidence/packages.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const [nodes, memoryMb] = process.env.RECIPEWRIGHT_ALL ? [600, 256] : [80, 48];

/** Writes the journal of nodes that print a megabyte each, writes the package, and verifies it. */
const program = `
import { openJournal } from './journal.js';
import { writePackage } from './writePackage.js';
import { readLines } from './readLines.js';
import { digestFile } from './fileDigest.js';
import { openLineFile } from './files.js';
import { verifyPackage } from './verifyPackage.js';
import { digestOf } from './digest.js';
import { openReview } from './reviewPage.js';

const [nodes, dir] = [Number(process.argv[2]), process.argv[3]];
const file = openLineFile(dir + '/journal.jsonl');
const journal = openJournal({ wall: () => new Date().toISOString() }, file.append);
const at = (path) => ({ path, visit: 1, attempt: 0 });
const tool = { name: 'recipewright', version: 'source' };
const graph = Object.fromEntries(Array.from({ length: nodes }, (_, index) => ['n' + index, { action: 'command', intent: 'Print a lot', cmd: 'true', next: 'n' + (index + 1) }]));
const recipe = { schema_version: 1, validate: { workflow: { entry: 'n0', nodes: { ...graph, ['n' + nodes]: { action: 'end', status: 'pass' } } } } };
journal.write({ t: 'run', ...at(''), run: 'r', recipe: { id: 'a', digest: digestOf(recipe) }, tool, host: tool, inputs: {}, targets: [] });
const stdout = 'x'.repeat(1_000_000);
for (let index = 0; index < nodes; index++) {
  journal.write({ t: 'begin', ...at('n' + index), action: 'command', intent: 'Print a lot', fallible: true });
  journal.write({ t: 'end', ...at('n' + index), ms: 1, ok: true, next: 'n' + (index + 1), output: { exitCode: 0, stdout }, asserts: [{ operator: 'contains', path: '$.stdout', expected: 'x', actual: stdout + index, held: true, proofTarget: 'AC1' }] });
}
journal.write({ t: 'begin', ...at('n' + nodes), action: 'end' });
journal.write({ t: 'end', ...at('n' + nodes), ms: 0, ok: true, status: 'pass' });
journal.write({ t: 'end', ...at(''), ms: nodes, ok: true, status: 'pass' });
file.close();
const findArtifact = (path) => digestFile(dir + '/' + path);
const { summary } = writePackage(dir, { id: 'a', recipe, journal: readLines(dir + '/journal.jsonl'), inPlace: true, findArtifact, review: openReview });
const { status, verdict, findings } = verifyPackage(dir);
console.log(JSON.stringify({ total: summary.total, status, verdict, findings }));
`;

test(`F37 a trace of ${nodes} MB is written and verified with ${memoryMb} MB of memory`, { timeout: timeoutMs }, async () => {
  const outDir = directory();
  const evidence = ['journal', 'writePackage', 'digest'].map((name) => [name, join(root, `src/evidence/${name}.ts`)]);
  const system = ['readLines', 'files', 'fileDigest'].map((name) => [name, join(root, `src/system/files/${name}.ts`)]);
  const above = [
    ['verifyPackage', join(root, 'src/verify/verifyPackage.ts')],
    ['reviewPage', join(root, 'src/pages/review/reviewPage.ts')],
  ];
  const entry = Object.fromEntries([...evidence, ...system, ...above]);
  const bundle = { format: 'esm' as const, outDir, noExternal: [/./], target: 'node20' as const, dts: false };
  await build({ entry, ...bundle, config: false, silent: true, shims: true, banner: { js: cjs } });
  writeFileSync(join(outDir, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(outDir, 'program.mjs'), program);
  const dir = directory();
  const args = [`--max-old-space-size=${memoryMb}`, join(outDir, 'program.mjs'), String(nodes), dir];
  const answer = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(answer).toEqual({ total: nodes + 1, status: 'verified', verdict: 'pass', findings: [] });
  expect(statSync(join(dir, 'trace.json')).size).toBeGreaterThan(nodes * 1_000_000);
  expect(statSync(join(dir, 'review.html')).size).toBeLessThan(5_000_000);
  expect(readFileSync(join(dir, 'summary.json'), 'utf8')).toContain('"status": "pass"');
});

/** Bundled CommonJS packages load built-in modules with require. */
const cjs = "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";
