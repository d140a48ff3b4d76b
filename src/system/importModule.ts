// Imports a module when it is needed. The package starts from bytecode, and code that does has no `import()` that works.
import { createRequire } from 'node:module';

type NativeImport = <T>(specifier: string) => Promise<T>;

let native: NativeImport | undefined;

export function importModule<T>(specifier: string): Promise<T> {
  native ??= beside();
  return native(specifier);
}

function beside(): NativeImport {
  try {
    return (createRequire(import.meta.url)('./nativeImport.cjs') as { nativeImport: NativeImport }).nativeImport;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw thrown;
    // A bundle that somebody made of a part of our sources: it is no bytecode.
    return (specifier) => import(specifier);
  }
}
