// One fresh process: the packaged recipes of the reference loaded and compiled once, and then again and again.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadTemplateRecipe, toRecipeV1 } from '../../dist/template.js';

const folder = process.argv[2];
const files = readdirSync(folder).map((name) => path.join(folder, name));
const options = { agentDir: path.join(folder, 'none'), packagedRoot: folder };

// How long the main thread had the processor, which does not depend on who else wants it.
const ticks = `/proc/self/task/${process.pid}/schedstat`;
let now = existsSync(ticks) ? () => Number(readFileSync(ticks, 'utf8').split(' ')[0]) / 1e6 : () => performance.now();

function pass() {
  let made = 0;
  const started = now();
  for (const file of files) {
    const { recipe } = loadTemplateRecipe(file, options);
    try {
      made += Object.keys(toRecipeV1(recipe).json).length > 0 ? 1 : 0;
    } catch (thrown) {
      // Five of them make code of a value, which is refused.
      if (thrown.code !== 'template.value_as_code') throw thrown;
    }
  }
  return { ms: now() - started, made };
}

const cold = pass();
// Too short for that clock; the best of many is not disturbed either.
now = () => performance.now();
const warm = Array.from({ length: 20 }, pass);
const made = Math.min(cold.made, ...warm.map((one) => one.made));
console.log(JSON.stringify({ files: files.length, made, coldMs: cold.ms, warmMs: Math.min(...warm.map(({ ms }) => ms)) }));
