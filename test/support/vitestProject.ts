// A user's Vitest project in a directory of its own: real files, the real command line, real evidence packages.
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

/** Text as it is, everything else as JSON. */
export type Files = Record<string, unknown>;

export type ProjectOptions = {
  /** What the config gives to `defineConfig` as `test`, beside its own. One worker unless it says more: each takes time to start. */
  test?: object;
  /** What the config gives to `withRecipes` beside its own. */
  recipes?: object;
};

/** One test of the JSON report. */
export type TestReport = { file: string; title: string; status: string; line: number | undefined; messages: string[] };

export type VitestRun = Ended & {
  passed: number;
  failed: number;
  skipped: number;
  tests: TestReport[];
  /** Whether the JSON report calls the run a success; undefined when nobody asked for a report. */
  success: boolean | undefined;
  junit: string;
  suite: Suite | undefined;
  /** By directory below `recipe-results`. */
  packages: Map<string, Package>;
};

export type VitestProject = {
  dir: string;
  write(files: Files): void;
  move(from: string, to: string): void;
  remove(name: string): void;
  read(name: string): string;
  /** The names in a folder; none when it is not there. */
  list(folder: string): string[];
  /** The line of a file that has the text, from 1. */
  lineOf(name: string, text: string): number;
  /** `vitest run …` */
  run(args?: readonly string[], options?: Partial<StartOptions>): Promise<VitestRun>;
  start(args: readonly string[], options?: Partial<StartOptions>): Started;
  /** What lies there after a run that was started. */
  after(ended: Ended): VitestRun;
};

/** Takes what removes the project, and calls it when nobody needs the project any more. */
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
  const start: VitestProject['start'] = (args, given = {}) => startVitest(args, { cwd: dir, ...given });
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
    async run(args = [], given = {}) {
      for (const name of ['report.json', 'junit.xml']) rmSync(join(dir, name), { force: true });
      return after(await start(['run', ...args], given).ended);
    },
  };
}

/** What several tests of a file look at, made when the first of them asks; its projects stay until the last one has ended. */
export function shared<Result>(make: (atEnd: AtEnd) => Promise<Result>): () => Promise<Result> {
  const removals: (() => void)[] = [];
  afterAll(() => {
    for (const remove of removals) remove();
  });
  let made: Promise<Result> | undefined;
  return () => {
    made ??= make((remove) => removals.push(remove));
    return made;
  };
}

/** One run that several tests of a file look at. */
export function sharedRun(
  files: Files,
  options: ProjectOptions = {},
  args: readonly string[] = [],
  given: Partial<StartOptions> = {},
): () => Promise<VitestRun & { project: VitestProject }> {
  return shared(async (atEnd) => {
    const project = vitestProject(files, options, atEnd);
    return { ...(await project.run(args, given)), project };
  });
}

/** What the JSON report says of the first test of a file. */
export function statusOf({ tests }: VitestRun, file: string): string | undefined {
  return tests.find((one) => one.file === file)?.status;
}

// The package under test is the built and installed one, as a user gets it.
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
  const given = { recipes: 'recipes/**/*.recipe.json', ...(setup === undefined ? {} : { setup: `./${setup}` }), ...recipes };
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
      ${JSON.stringify(given)},
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
