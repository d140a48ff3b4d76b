// Imports a module when it is needed. The command line starts from bytecode, and code that does has no `import()` that works.
import { createRequire } from 'node:module';

type Native = { nativeImport<T>(specifier: string): Promise<T> };

const { nativeImport } = createRequire(import.meta.url)('./nativeImport.cjs') as Native;

export { nativeImport as importModule };
