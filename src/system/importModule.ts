// Imports a module when it is needed. The package starts from bytecode, and code that does has no `import()` that works.
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';

type NativeImport = <T>(specifier: string) => Promise<T>;

let native: NativeImport | undefined;

export function importModule<T>(specifier: string): Promise<T> {
  native ??= loadNativeImport();
  return native(specifier);
}

function loadNativeImport(): NativeImport {
  try {
    return (createRequire(import.meta.url)('./nativeImport.cjs') as { nativeImport: NativeImport }).nativeImport;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw thrown;
    // A bundle that somebody made of a part of our sources: it is no bytecode.
    return (specifier) => import(specifier);
  }
}

// Loads a module of the user's project, TypeScript too: Node 20 cannot read it by itself.

export async function importProjectModule(file: string): Promise<Record<string, unknown>> {
  if (!/^\.[mc]?ts$/.test(extname(file))) return importModule(pathToFileURL(file).href);
  const { createJiti } = await importModule<typeof import('jiti')>('jiti');
  return (await createJiti(import.meta.url, { interopDefault: false }).import(file)) as Record<string, unknown>;
}
