// Loads a module of the user's project, TypeScript too: Node 20 cannot read it by itself.
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importModule } from './importModule.js';

export async function loadModule(file: string): Promise<Record<string, unknown>> {
  if (!/^\.[mc]?ts$/.test(extname(file))) return importModule(pathToFileURL(file).href);
  const { createJiti } = await importModule<typeof import('jiti')>('jiti');
  return (await createJiti(import.meta.url, { interopDefault: false }).import(file)) as Record<string, unknown>;
}
