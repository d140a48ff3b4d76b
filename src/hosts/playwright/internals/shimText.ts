// Creates the source of shims, the generated test files that Playwright loads in place of documents.
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/runner/loadUtils.ts (test files are selected by the sources of their maps)
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/transform/transform.ts (requireOrImport awaits the export of a test file)
// If Playwright changes the first, documents cannot be selected by name. If it changes the second, a setup that is an ES module registers no tests.
import { basename, dirname, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findModuleType } from '../../../system/files/files.js';

const registerModule = new URL('./playwright-register.js', import.meta.url);

/** Creates the module that all shims of a project require. This module imports the setup module once. */
export function createRegisterText(setup: string | undefined): string {
  const lines = [`const { registerDocuments } = require(${JSON.stringify(fileURLToPath(registerModule))});`];
  if (setup === undefined) lines.push('module.exports = (documents) => registerDocuments(documents, {});');
  else if (findModuleType(setup) === 'commonjs')
    lines.push(
      `const setup = require(${JSON.stringify(setup)});`,
      'module.exports = (documents) => registerDocuments(documents, setup);',
    );
  else
    lines.push(
      'let setup;',
      `const loading = import(${JSON.stringify(pathToFileURL(setup).href)}).then((loaded) => { setup = loaded; });`,
      'const register = (documents) => registerDocuments(documents, setup);',
      'module.exports = (documents) => setup ? register(documents) : loading.then(() => register(documents));',
    );
  return `${lines.join('\n')}\n`;
}

type ShimParts = { documents: object; register: string; map: string };

export function createShimText({ documents, register, map }: ShimParts): string {
  const require = `require(${JSON.stringify(register)})`;
  return `module.exports = ${require}(${JSON.stringify(documents)});\n//# sourceMappingURL=${map}\n`;
}

export function createMapText(shim: string, documents: readonly string[]): string {
  const relativeFolders = new Map<string, string>();
  const sources = documents.map((document) => {
    const folder = dirname(document);
    const path = relativeFolders.get(folder) ?? relative(dirname(shim), folder).replaceAll('\\', '/');
    relativeFolders.set(folder, path);
    return `${path}/${basename(document)}`;
  });
  return `${JSON.stringify({ version: 3, file: basename(shim), sources, names: [], mappings: 'AAAA' })}\n`;
}
