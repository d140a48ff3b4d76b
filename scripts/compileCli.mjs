// Keeps the bytecode of the command line beside its text, with every function that a short run calls: src/cli/bytecode.ts begins from it.
// It is made with each build, since V8 tells another text only by its length.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Script } from 'node:vm';
import { root } from './run.mjs';

const file = path.join(root, 'dist/cli-main.cjs');
rmSync(`${file}.bytecode`, { force: true });
const script = new Script(module.wrap(readFileSync(file, 'utf8')), { filename: file });
const dir = mkdtempSync(path.join(tmpdir(), 'recipewright-compile-'));
process.argv = [process.argv[0], file, 'run', '--recipe', shortRecipe(), '--artifacts-dir', path.join(dir, 'out')];
process.stdout.write = process.stderr.write = quietly;
process.on('exit', (code) => {
  rmSync(dir, { recursive: true });
  if (code !== 0) throw new Error(`The run that warms up the command line ended with ${code}.`);
  writeFileSync(`${file}.bytecode`, script.createCachedData());
});
const self = { exports: {} };
script.runInThisContext()(self.exports, createRequire(file), self, file, path.dirname(file));

function shortRecipe() {
  const nodes = {
    look: { action: 'command', intent: 'Run a command that succeeds', argv: [process.execPath, '-e', '0'], next: 'done' },
    done: { action: 'end', status: 'pass' },
  };
  const recipe = path.join(dir, 'short.recipe.json');
  writeFileSync(recipe, JSON.stringify({ schema_version: 1, validate: { workflow: { entry: 'look', nodes } } }));
  return recipe;
}

function quietly(_text, ...rest) {
  rest.find((one) => typeof one === 'function')?.();
  return true;
}
