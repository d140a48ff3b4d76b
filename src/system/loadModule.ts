// Loads a module of the user's project, TypeScript too: Node 20 cannot read it by itself.
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';

export async function loadModule(file: string): Promise<Record<string, unknown>> {
  if (!/^\.[mc]?ts$/.test(extname(file))) return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const { createJiti } = await import('jiti');
  return (await createJiti(import.meta.url, { interopDefault: false }).import(file)) as Record<string, unknown>;
}
