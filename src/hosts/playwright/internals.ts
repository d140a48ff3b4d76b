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

export type WorkerListener = {
  /** An error that it throws fails the test. */
  testEnd(testId: string): void;
  /** Errors came while no test ran. */
  fatalErrors(messages: readonly string[]): void;
};

/**
 * Calls `listener` before a worker reports the end of a test, or errors outside of tests, to Playwright's main process.
 * A worker sends `{ method: '__dispatch__', params: { method: 'testEnd', params: { testId, status, errors } } }`, and the methods `done` and
 * `teardownErrors` with `{ fatalErrors }` (playwright/src/common/process.ts and src/worker/workerMain.ts, 1.65.0).
 * Messages of another form are sent as they are.
 */
export function onWorkerReport(listener: WorkerListener): void {
  const { send } = process;
  if (!send) return;
  process.send = ((message: unknown, ...rest: unknown[]) => {
    const end = testEndIn(message);
    if (end) {
      try {
        listener.testEnd(end.testId);
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        end.status = 'failed';
        end.errors = [...end.errors, { message: `Error: ${error.message}` }];
      }
    }
    const errors = fatalErrorsIn(message);
    if (errors.length > 0) listener.fatalErrors(errors.map((error) => String(error?.message ?? error?.value ?? 'unknown error')));
    return Reflect.apply(send, process, [message, ...rest]);
  }) as typeof send;
}

type TestEnd = { testId: string; status: string; errors: object[] };

function testEndIn(message: unknown): TestEnd | undefined {
  const { method, params } = message as { method?: string; params?: { method?: string; params?: Partial<TestEnd> } };
  if (method !== '__dispatch__' || params?.method !== 'testEnd') return undefined;
  const end = params.params;
  return typeof end?.testId === 'string' && Array.isArray(end.errors) ? (end as TestEnd) : undefined;
}

function fatalErrorsIn(message: unknown): ({ message?: unknown; value?: unknown } | null)[] {
  const { method, params } = message as { method?: string; params?: { params?: { fatalErrors?: unknown } } };
  const errors = method === '__dispatch__' ? params?.params?.fatalErrors : undefined;
  return Array.isArray(errors) ? errors : [];
}

type TestType = {
  fixtures?: { fixtures?: object }[];
  _currentSuite?(place: object, title: string): { _type?: unknown } | undefined;
  _createTest?(kind: 'default' | 'skip', place: object, title: string, details: object, body: unknown): void;
};

const known = new WeakMap<object, TestType>();

function testTypeOf(test: object): TestType {
  const before = known.get(test);
  if (before) return before;
  const [symbol] = Object.getOwnPropertySymbols(test).filter(({ description }) => description === 'testType');
  const found = (symbol && (test as Record<symbol, TestType>)[symbol]) ?? {};
  known.set(test, found);
  return found;
}

const names = new WeakMap<object, ReadonlySet<string>>();

/** The names of a test's fixtures; undefined when they cannot be told. */
export function fixtureNames(test: object): ReadonlySet<string> | undefined {
  const { fixtures } = testTypeOf(test);
  if (!Array.isArray(fixtures)) return undefined;
  const found = names.get(test) ?? new Set(fixtures.flatMap(({ fixtures: own = {} }) => Object.keys(own)));
  names.set(test, found);
  return found;
}

/** Whether tests are being declared inside of test.describe(); false when that cannot be told. */
export function isInDescribe(test: object): boolean {
  return testTypeOf(test)._currentSuite?.({}, 'recipes()')?._type === 'describe';
}

/** Names the test file that is being loaded, for reports that show the name instead of the place. It stays as it is when that cannot be done. */
export function nameTestFile(test: object, title: string): void {
  const suite = testTypeOf(test)._currentSuite?.({}, 'recipes()') as { _type?: unknown; title?: unknown } | undefined;
  if (suite?._type === 'file' && typeof suite.title === 'string') suite.title = title;
}

export type Declared = {
  kind: 'default' | 'skip';
  place: { file: string; line: number; column: number };
  title: string;
  details: object;
};

/** Declares a test at a place without a look at the stack, which costs more than all the rest; false when that cannot be done. */
export function createTest(test: object, { kind, place, title, details }: Declared, body: unknown): boolean {
  const type = testTypeOf(test);
  if (type._createTest?.length !== 5) return false;
  type._createTest(kind, { ...place }, title, details, body);
  return true;
}

/** Playwright keeps on a function what it read from its text: a function of the same text need not be read again. */
export function sameText(from: object | undefined, to: object): void {
  if (!from) return;
  for (const symbol of Object.getOwnPropertySymbols(from))
    (to as Record<symbol, unknown>)[symbol] = (from as Record<symbol, unknown>)[symbol];
}

/** The line of the document that the command line asks for, as in `checkout.recipe.json:12`. Tests are known by title, so it may be any line. */
export function lineAskedFor(document: string, argv: readonly string[] = process.argv): number | undefined {
  const asked = askedBy.get(argv) ?? linesIn(argv);
  askedBy.set(argv, asked);
  if (asked.length === 0) return undefined;
  const path = document.replaceAll('\\', '/');
  return asked.find(({ end }) => path.endsWith(end))?.line;
}

type AskedLine = { end: string; line: number };

const askedBy = new WeakMap<readonly string[], readonly AskedLine[]>();

function linesIn(argv: readonly string[]): AskedLine[] {
  const asked = argv
    .map((arg) => /^(?<name>.*\.(json|md)):(?<line>\d+)(:\d+)?$/.exec(arg)?.groups)
    .filter((groups) => groups !== undefined);
  return asked.map(({ name = '', line }) => ({
    end: `/${name.replaceAll('\\', '/').replace(/^\.?\//, '')}`,
    line: Number(line),
  }));
}
