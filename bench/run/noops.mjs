// Runs one long recipe of nodes that do nothing, in a separate process so that its memory can be measured:
// node noops.mjs <count> <URL of the folder with the built runRecipe, which bench/run/run.mjs passes>
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [, , countText, builtFolder] = process.argv;
const { defineAction, defineSetup, z } = await import(new URL('index.js', builtFolder));
const { runRecipe } = await import(new URL('runRecipe.js', builtFolder));
const count = Number(countText);
const noop = defineAction({
  name: 'bench.noop',
  description: 'Does nothing.',
  schema: z.strictObject({}),
  examples: [],
  effect: 'reads',
  fallible: () => true,
  run: () => ({}),
});

function createLongRecipe() {
  const nodes = {};
  for (let index = 0; index < count; index++) {
    nodes[`n${index}`] = {
      action: 'bench.noop',
      intent: `Take step ${index} of the long way`,
      next: index + 1 < count ? `n${index + 1}` : 'done',
    };
  }
  nodes.done = { action: 'end', status: 'pass' };
  return { schema_version: 1, title: 'A long way', validate: { workflow: { entry: 'n0', nodes } } };
}

const dir = mkdtempSync(path.join(tmpdir(), 'noops-bench-'));
const file = path.join(dir, 'long.recipe.json');
writeFileSync(file, JSON.stringify(createLongRecipe(), null, 2));
const limits = { nodes: count + 1, stepsPerRun: count + 1, bytes: 1_000_000_000 };
globalThis.gc?.();
const rssBefore = process.memoryUsage().rss;
let peak = rssBefore;
const sampler = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 20);
const startedAt = performance.now();
const result = await runRecipe(file, {
  artifactsDir: path.join(dir, 'out'),
  projectRoot: dir,
  limits,
  setup: defineSetup({ actions: [noop] }),
});
const ms = performance.now() - startedAt;
clearInterval(sampler);
peak = Math.max(peak, process.memoryUsage().rss);
rmSync(dir, { recursive: true });
if (!result.ran || result.summary.status !== 'pass' || result.summary.total !== count + 1)
  throw new Error(
    `The measured run did not pass completely: ${JSON.stringify(result.ran ? result.summary : result.findings).slice(0, 500)}`,
  );
console.log(JSON.stringify({ count, ms, perSecond: count / (ms / 1000), grownMb: (peak - rssBefore) / 1e6 }));
