// Tells Playwright's --only-changed which files a recipe depends on.
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/transform/compilationCache.ts
// If Playwright has no addToCompilationCache, the option selects no recipes.
import { createRequire } from 'node:module';

type CompilationCache = { addToCompilationCache(payload: object): void };

let compilationCache: CompilationCache | undefined;

/** Each entry names a document that holds tests and the files it depends on. */
export function declareDependencies(fileDependencies: readonly [document: string, files: string[]][]): void {
  try {
    compilationCache ??= loadCompilationCache();
    compilationCache.addToCompilationCache({ sourceMaps: [], memoryCache: [], fileDependencies });
  } catch {
    // MODULE_NOT_FOUND or TypeError: another version of Playwright.
  }
}

function loadCompilationCache(): CompilationCache {
  const test = createRequire(import.meta.url).resolve('@playwright/test/package.json');
  return (createRequire(test)('playwright/lib/common') as { cc: CompilationCache }).cc;
}
