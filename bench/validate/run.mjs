// Measures the cost of checking recipes, compared with a schema validation: node bench/validate/run.mjs [--json]
// Checks 1,000 recipes of ten nodes with recipewright, and with JSON.parse and ajv with the published schema, in alternating order
// in one process. BENCH_ROUNDS sets the number of rounds, by default 15.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { tenNodes } from './tenNodes.mjs';

/** BENCH_DIST=<the index.js of another build> measures that build. */
const { checkFile, officialActions } = await import(process.env.BENCH_DIST ?? '../../dist/index.js');

const goal = 3;
const rounds = Number(process.env.BENCH_ROUNDS ?? '15');
const root = fileURLToPath(new URL('../../', import.meta.url));
const published = path.join(root, '../shared/corpus/recipe-v1/schemas/recipe-v1.schema.json');
const schemaFile = existsSync(published) ? published : path.join(root, 'schemas/recipe-v1.schema.json');

const folder = mkdtempSync(path.join(tmpdir(), 'validate-bench-'));
try {
  const files = Array.from({ length: 1_000 }, (_, index) => path.join(folder, `recipe-${index}.recipe.json`));
  for (const [index, file] of files.entries()) writeFileSync(file, tenNodes(index));
  const report = measure(files);
  console.log(process.argv.includes('--json') ? JSON.stringify(report, null, 2) : formatReport(report));
  process.exitCode = report.ratio > goal ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measure(files) {
  const validate = compile();
  const byAjv = (file) => validate(JSON.parse(readFileSync(file, 'utf8')));
  const options = { vocabulary: officialActions, projectRoot: folder };
  const byRecipewright = (file) => checkFile(file, options).findings.length === 0;
  const times = { ajv: [], recipewright: [] };
  for (let round = 0; round < rounds + 2; round++) {
    const checks = [
      ['ajv', byAjv],
      ['recipewright', byRecipewright],
    ];
    for (const [name, check] of round % 2 === 0 ? checks : checks.reverse()) {
      const ms = measureChecks(files, check);
      if (round >= 2) times[name].push(ms);
    }
  }
  const medians = Object.fromEntries(Object.entries(times).map(([name, checkTimes]) => [name, median(checkTimes)]));
  const pairs = times.recipewright.map((ms, index) => ms / times.ajv[index]);
  return {
    schema: path.basename(path.dirname(path.dirname(schemaFile))),
    rounds,
    msFor1000: medians,
    ratio: median(pairs),
    goal,
  };
}

// Throws unless every document is valid, because an early failure would be too fast.
function measureChecks(files, check) {
  const startedAt = performance.now();
  for (const file of files) if (!check(file)) throw new Error(`${file} was refused.`);
  return performance.now() - startedAt;
}

function compile() {
  const schema = JSON.parse(readFileSync(schemaFile, 'utf8'));
  const modern = String(schema.$schema).includes('2020');
  return new (modern ? Ajv2020 : Ajv)({ strict: false, allErrors: true }).compile(schema);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function formatReport({ msFor1000, ratio, rounds: roundCount }) {
  const lines = Object.entries(msFor1000).map(
    ([name, ms]) => `${name.padEnd(24)} ${ms.toFixed(1).padStart(8)} ms for 1,000 recipes`,
  );
  const verdict = `${ratio <= goal ? 'PASS' : 'FAIL'}: checking takes ${ratio.toFixed(2)} times as long as JSON.parse and ajv, the goal is ${goal}`;
  return [`${roundCount} rounds, with the schema of ${path.relative(root, schemaFile)}`, ...lines, verdict].join('\n');
}
