#!/usr/bin/env node
// Starts the command line from bytecode: to compile its text anew was a third of what a short run takes.
import { existsSync, readFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const require = createRequire(import.meta.url);
const file = fileURLToPath(new URL('./cli-main.cjs', import.meta.url));

if (module.enableCompileCache) {
  module.enableCompileCache();
  require(file);
} else fromBytecode();

/** Node 20 keeps no bytecode itself. What the build made of another text or for another V8 is refused by V8, and costs only time. */
function fromBytecode(): void {
  const bytecode = `${file}.bytecode`;
  const script = new Script(module.wrap(readFileSync(file, 'utf8')), {
    filename: file,
    ...(existsSync(bytecode) ? { cachedData: readFileSync(bytecode) } : {}),
  });
  const self = { exports: {} };
  script.runInThisContext()(self.exports, require, self, file, path.dirname(file));
}
