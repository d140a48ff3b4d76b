// What stands beside the script of the package (decisions/020): the modules that users import, and the bytecode to start from,
// with every function that a short run calls. It is made with each build, since V8 tells another text only by its length.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Script } from 'node:vm';
import { root } from './run.mjs';

const dist = path.join(root, 'dist');
const file = path.join(dist, 'library.cjs');
rmSync(`${file}.bytecode`, { force: true });
// The name is that of src/system/ownScript.ts: no path of this machine is published.
const script = new Script(module.wrap(readFileSync(file, 'utf8')), { filename: 'recipewright/dist/library.cjs' });
const self = { exports: {} };
script.runInThisContext()(self.exports, createRequire(file), self, file, dist);
const { parts } = self.exports;

/** These do their work when they are run, and give nothing. */
const programs = ['cli', 'playwright-config', 'detached-runner'];
for (const name of Object.keys(parts))
  writeFileSync(path.join(dist, `${name}.js`), programs.includes(name) ? program(name) : library(name));
chmodSync(path.join(dist, 'cli.js'), 0o755);
keepBytecode();

function library(name) {
  const names = Object.keys(parts[name]());
  const given = names.filter((one) => one !== 'default');
  return [
    "import { loadPart } from './loadPart.js';",
    `const part = loadPart('${name}');`,
    ...(given.length > 0 ? [`export const { ${given.join(', ')} } = part;`] : []),
    ...(names.includes('default') ? ['export default part.default;'] : []),
    '',
  ].join('\n');
}

function program(name) {
  const start = `import { loadPart } from './loadPart.js';\nloadPart('${name}');\n`;
  if (name !== 'cli') return start;
  // A command line may decide for its whole process; Node 20 has no such thing.
  return `#!/usr/bin/env node\nimport module from 'node:module';\n${start.replace('loadPart(', 'module.enableCompileCache?.();\nloadPart(')}`;
}

function keepBytecode() {
  const dir = mkdtempSync(path.join(tmpdir(), 'recipewright-build-'));
  process.argv = [process.argv[0], file, 'run', '--recipe', shortRecipe(dir), '--artifacts-dir', path.join(dir, 'out')];
  process.stdout.write = quietly;
  process.on('exit', (code) => {
    rmSync(dir, { recursive: true });
    if (code !== 0) throw new Error(`The run that warms up the package ended with ${code}.`);
    writeFileSync(`${file}.bytecode`, script.createCachedData());
  });
  parts.cli();
}

function shortRecipe(dir) {
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
