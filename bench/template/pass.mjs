// Loads and compiles the packaged recipes of the reference implementation in a new process: once with cold caches, then repeatedly.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadTemplateRecipe, toRecipeV1 } from '../../dist/template.js';

const folder = process.argv[2];
const files = readdirSync(folder).map((name) => path.join(folder, name));
const options = { agentDir: path.join(folder, 'none'), packagedRoot: folder };

// Measures the CPU time of the main thread, which does not depend on other processes.
const statFile = `/proc/self/task/${process.pid}/schedstat`;
let now = existsSync(statFile) ? () => Number(readFileSync(statFile, 'utf8').split(' ')[0]) / 1e6 : () => performance.now();

function compileAll() {
  let compiledCount = 0;
  const startedAt = now();
  for (const file of files) {
    const { recipe } = loadTemplateRecipe(file, options);
    try {
      compiledCount += Object.keys(toRecipeV1(recipe).json).length > 0 ? 1 : 0;
    } catch (thrown) {
      // Five of the recipes use a value as code, which is refused.
      if (thrown.code !== 'template.value_as_code') throw thrown;
    }
  }
  return { ms: now() - startedAt, compiledCount };
}

const cold = compileAll();
// The warm passes are too short for the resolution of this file. The best of many wall times is also undisturbed.
now = () => performance.now();
const warm = Array.from({ length: 20 }, compileAll);
const compiled = Math.min(cold.compiledCount, ...warm.map(({ compiledCount }) => compiledCount));
console.log(JSON.stringify({ files: files.length, compiled, coldMs: cold.ms, warmMs: Math.min(...warm.map(({ ms }) => ms)) }));
