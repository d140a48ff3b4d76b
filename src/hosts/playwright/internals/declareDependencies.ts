// What Playwright keeps to itself and we ask all the same. Each answer may be missing; nothing but comfort depends on it.
import { createRequire } from 'node:module';

/** Tells `--only-changed` that tests stand in these documents and depend on these files. */
export function declareDependencies(fileDependencies: readonly [document: string, files: string[]][]): void {
  try {
    compilationCache ??= loadCompilationCache();
    compilationCache.addToCompilationCache({ sourceMaps: [], memoryCache: [], fileDependencies });
  } catch {
    // MODULE_NOT_FOUND or TypeError: another version of Playwright. The option then selects no recipe.
  }
}

type CompilationCache = { addToCompilationCache(payload: object): void };

let compilationCache: CompilationCache | undefined;

function loadCompilationCache(): CompilationCache {
  const test = createRequire(import.meta.url).resolve('@playwright/test/package.json');
  return (createRequire(test)('playwright/lib/common') as { cc: CompilationCache }).cc;
}
