import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Imports a module of the user's project. Loads TypeScript with jiti, because Node 20 cannot load TypeScript. */
export async function importProjectModule(file: string): Promise<Record<string, unknown>> {
  if (!/^\.[mc]?ts$/.test(extname(file))) return import(pathToFileURL(file).href) as Promise<Record<string, unknown>>;
  const { createJiti } = await import('jiti');
  return createJiti(import.meta.url, { interopDefault: false }).import(file);
}
