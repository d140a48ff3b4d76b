// What Playwright keeps to itself and we ask all the same. Each answer may be missing; nothing but comfort depends on it.
import { createRequire } from 'node:module';

/** Tells `--only-changed` that a test stands in this document and depends on these files. */
export function declareDependencies(document: string, files: readonly string[]): void {
  try {
    compilationCache ??= loadCompilationCache();
    compilationCache.addToCompilationCache({ sourceMaps: [], memoryCache: [], fileDependencies: [[document, [...files]]] });
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

/** The names of a test's fixtures; undefined when they cannot be told. */
export function fixtureNames(test: object): ReadonlySet<string> | undefined {
  const [symbol] = Object.getOwnPropertySymbols(test).filter(({ description }) => description === 'testType');
  const type = symbol && (test as Record<symbol, { fixtures?: { fixtures?: object }[] }>)[symbol];
  if (!Array.isArray(type?.fixtures)) return undefined;
  return new Set(type.fixtures.flatMap(({ fixtures = {} }) => Object.keys(fixtures)));
}

/** The line of the document that the command line asks for, as in `checkout.recipe.json:12`. Tests are known by title, so it may be any line. */
export function lineAskedFor(document: string, argv: readonly string[] = process.argv): number | undefined {
  const path = document.replaceAll('\\', '/');
  const asked = argv
    .map((arg) => /^(?<name>.*\.json):(?<line>\d+)(:\d+)?$/.exec(arg)?.groups)
    .filter((groups) => groups !== undefined);
  const found = asked.find(({ name = '' }) => path.endsWith(`/${name.replaceAll('\\', '/').replace(/^\.?\//, '')}`));
  return found && Number(found.line);
}
