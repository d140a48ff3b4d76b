// Gives a part of the package. Its script starts from bytecode: to compile the text anew was a third of what a short run takes.
import { existsSync, readFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { ownScript } from './ownScript.js';

/** What src/library.ts gives. */
type Library = { parts: Readonly<Record<string, () => unknown>> };

const require = createRequire(import.meta.url);
const file = fileURLToPath(new URL('./library.cjs', import.meta.url));

export function loadPart(name: string): unknown {
  library ??= 'enableCompileCache' in module ? (require(file) as Library) : loadFromBytecode();
  const part = library.parts[name];
  if (!part) throw new Error(`The package recipewright is not whole: it has no part ${JSON.stringify(name)}. Install it again.`);
  return part();
}

let library: Library | undefined;

/** Newer Nodes keep bytecode themselves, when they are told to. What was made of another text or for another V8 is refused by V8, and costs only time. */
function loadFromBytecode(): Library {
  const bytecode = `${file}.bytecode`;
  const script = new Script(module.wrap(readFileSync(file, 'utf8')), {
    filename: ownScript,
    ...(existsSync(bytecode) ? { cachedData: readFileSync(bytecode) } : {}),
  });
  const self = { exports: {} as Library };
  script.runInThisContext()(self.exports, require, self, file, path.dirname(file));
  return self.exports;
}
