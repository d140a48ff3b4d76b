// Vitest projects for tests, in temporary directories, with the real Vitest command line and real evidence packages.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import type { Suite } from '../../src/evidence/suite.js';
import { type Package, readPackages } from './packages.js';
import { type Ended, moduleFolder, type Started, type StartOptions, startVitest } from './runVitest.js';

/** File contents by path. A string is written unchanged, any other value as JSON. */
export type Files = Record<string, unknown>;

export type ProjectOptions = {
  /** More options for `test` in the config. By default, the config has one worker, because each worker takes time to start. */
  test?: object;
  /** More options for `withRecipes` in the config. */
  recipes?: object;
};

/** One test of the JSON report. */
export type TestReport = { file: string; title: string; status: string; line: number | undefined; messages: string[] };

export type VitestRun = Ended & {
  passed: number;
  failed: number;
  skipped: number;
  tests: TestReport[];
  /** The success of the run in the JSON report. Undefined without a JSON report. */
  success: boolean | undefined;
  junit: string;
  suite: Suite | undefined;
  /** The packages by directory below `recipe-results`. */
  packages: Map<string, Package>;
};

export type VitestProject = {
  dir: string;
  write(files: Files): void;
  move(from: string, to: string): void;
  remove(name: string): void;
  read(name: string): string;
  /** Returns the names in a folder, or an empty list when the folder does not exist. */
  list(folder: string): string[];
  /** Returns the number of the first line that contains the string, counted from 1. */
  lineOf(name: string, text: string): number;
  /** `vitest run …` */
  run(args?: readonly string[], options?: Partial<StartOptions>): Promise<VitestRun>;
  start(args: readonly string[], options?: Partial<StartOptions>): Started;
  /** Reads the results of a run that was started with `start`. */
  after(ended: Ended): VitestRun;
};

/** Registers a function that removes the project when it is no longer needed. */
type AtEnd = (remove: () => void) => void;

export function vitestProject(files: Files, options: ProjectOptions = {}, atEnd: AtEnd = onTestFinished): VitestProject {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'recipewright-vitest-')));
  atEnd(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  linkModules(join(dir, 'node_modules'));
  writeFiles(dir, {
    'package.json': { name: 'inline', private: true, type: 'module' },
    'vitest.config.ts': configFile(files, options),
  });
  writeFiles(dir, files);
  const start: VitestProject['start'] = (args, startOptions = {}) => startVitest(args, { cwd: dir, ...startOptions });
  const after = (ended: Ended): VitestRun => ({ ...ended, ...reportIn(dir), ...resultsIn(dir) });
  return {
    ...{ dir, start, after },
    write: (more) => writeFiles(dir, more),
    read: (name) => readFileSync(join(dir, name), 'utf8'),
    list: (folder) => (existsSync(join(dir, folder)) ? readdirSync(join(dir, folder)) : []),
    lineOf: (name, text) =>
      readFileSync(join(dir, name), 'utf8')
        .split('\n')
        .findIndex((line) => line.includes(text)) + 1,
    remove: (name) => rmSync(join(dir, name)),
    move(from, to) {
      mkdirSync(dirname(join(dir, to)), { recursive: true });
      renameSync(join(dir, from), join(dir, to));
    },
    async run(args = [], startOptions = {}) {
      for (const name of ['report.json', 'junit.xml']) rmSync(join(dir, name), { force: true });
      return after(await start(['run', ...args], startOptions).ended);
    },
  };
}

/**
 * Returns a function that creates a value on its first call, for several tests of a file. Its projects exist until the last test
 * ends.
 */
export function shared<Result>(make: (atEnd: AtEnd) => Promise<Result>): () => Promise<Result> {
  const removals: (() => void)[] = [];
  afterAll(() => {
    for (const remove of removals) remove();
  });
  let result: Promise<Result> | undefined;
  return () => {
    result ??= make((remove) => removals.push(remove));
    return result;
  };
}

/** Returns a function that starts one run for several tests of a file. */
export function sharedRun(
  files: Files,
  options: ProjectOptions = {},
  args: readonly string[] = [],
  startOptions: Partial<StartOptions> = {},
): () => Promise<VitestRun & { project: VitestProject }> {
  return shared(async (atEnd) => {
    const project = vitestProject(files, options, atEnd);
    return { ...(await project.run(args, startOptions)), project };
  });
}

/** Returns the status of the first test of a file in the JSON report. */
export function statusOf({ tests }: VitestRun, file: string): string | undefined {
  return tests.find((test) => test.file === file)?.status;
}

// Links to the built and installed package, so that the tests use it like a user.
function linkModules(dir: string): void {
  mkdirSync(dir, { recursive: true });
  for (const name of ['recipewright', 'vitest', 'vite', 'zod', '@playwright', 'playwright', 'playwright-core'])
    symlinkSync(moduleFolder(name), join(dir, name), 'junction');
}

function writeFiles(dir: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(dir, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
}

function configFile(files: Files, { test = {}, recipes = {} }: ProjectOptions): string {
  const setup = Object.keys(files).find((name) => /^recipes\.setup\.\w+$/.test(name));
  const options = { recipes: 'recipes/**/*.recipe.json', ...(setup === undefined ? {} : { setup: `./${setup}` }), ...recipes };
  return `
    import { withRecipes } from 'recipewright/vitest';
    import { defineConfig } from 'vitest/config';

    export default withRecipes(
      defineConfig({
        test: {
          maxWorkers: 1,
          includeTaskLocation: true,
          reporters: ['default', ['json', { outputFile: 'report.json' }], ['junit', { outputFile: 'junit.xml' }]],
          ...${JSON.stringify(test)},
        },
      }),
      ${JSON.stringify(options)},
    );
  `;
}

type JsonTest = {
  fullName: string;
  title: string;
  status: string;
  location?: { line: number } | null;
  failureMessages?: string[];
};
type JsonReport = {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: { name: string; assertionResults: JsonTest[] }[];
};

function reportIn(dir: string): Pick<VitestRun, 'passed' | 'failed' | 'skipped' | 'tests' | 'success' | 'junit'> {
  const junit = existsSync(join(dir, 'junit.xml')) ? readFileSync(join(dir, 'junit.xml'), 'utf8') : '';
  if (!existsSync(join(dir, 'report.json'))) return { passed: 0, failed: 0, skipped: 0, tests: [], success: undefined, junit };
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as JsonReport;
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, status, location, failureMessages = [] }) => {
      return { file: relative(dir, name), title, status, line: location?.line, messages: failureMessages };
    }),
  );
  const { success, numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = report;
  return { passed, failed, skipped, tests, success, junit };
}

function resultsIn(dir: string): Pick<VitestRun, 'suite' | 'packages'> {
  const folder = join(dir, 'recipe-results');
  const suite = join(folder, 'suite.json');
  return {
    packages: readPackages(folder),
    suite: existsSync(suite) ? (JSON.parse(readFileSync(suite, 'utf8')) as Suite) : undefined,
  };
}
