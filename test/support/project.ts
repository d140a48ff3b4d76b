// Playwright projects for tests, in temporary directories, with the real Playwright command line and real evidence packages.
import { cpSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base } from '@playwright/test';
import { type Package, readPackages } from './packages.js';
import { type JsonReport, readReport } from './report.js';
import { nodeModules, runPlaywright, type SendSignal, stopRunning } from './runPlaywright.js';

export { expect } from '@playwright/test';

/** File contents by path. A string is written unchanged, any other value as JSON. */
export type Files = Record<string, unknown>;

export type ProjectOptions = {
  type?: 'module' | 'commonjs';
  /** More options for `defineConfig` in the default config. */
  config?: object;
  /** More options for `withRecipes` in the default config. */
  recipes?: object;
  /** A parent folder of the project. In it, the package is installed as a copy. */
  installedIn?: string;
};

export type RunOptions = { env?: Record<string, string>; timeoutMs?: number; send?: SendSignal };

export type Run = {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  passed: number;
  failed: number;
  flaky: number;
  skipped: number;
  /** The JSON report. Undefined without the JSON reporter. */
  report: JsonReport | undefined;
  /** The packages by directory below `recipe-results`: `recipes/a`, and `.attempts/recipes/a/0` for an earlier attempt. */
  packages: Map<string, Package>;
};

export type Project = {
  dir: string;
  write(files: Files): void;
  move(from: string, to: string): void;
  /** `playwright test …` */
  run(args?: readonly string[], options?: RunOptions): Promise<Run>;
  /** `playwright merge-reports …` */
  merge(args: readonly string[], options?: RunOptions): Promise<Run>;
};

type Fixtures = {
  project(files: Files, options?: ProjectOptions): Project;
  /** Copies a folder of this repository without the results of earlier runs. */
  copyOf(folder: string): Project;
};

export const test = base.extend<{ workshop: string } & Fixtures>({
  workshop: async ({}, use) => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'recipewright-e2e-')));
    await use(dir);
    await stopRunning();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  },
  project: async ({ workshop }, use) => {
    let count = 0;
    await use((files, options = {}) => {
      const { type = 'module', installedIn } = options;
      const project = openProject(join(workshop, installedIn ?? '', `project-${++count}`));
      if (installedIn !== undefined) installCopy(join(project.dir, 'node_modules/recipewright'));
      project.write({
        'package.json': { name: 'inline', private: true, type },
        'playwright.config.ts': configFile(files, options),
      });
      project.write(files);
      return project;
    });
  },
  copyOf: async ({ workshop }, use) => {
    await use((folder) => {
      const dir = join(workshop, 'copy');
      const generated = /[\\/](node_modules|recipe-results|test-results|playwright-report)([\\/]|$)/;
      cpSync(fileURLToPath(new URL(`../../${folder}`, import.meta.url)), dir, {
        recursive: true,
        filter: (file) => !generated.test(file),
      });
      return openProject(dir);
    });
  },
});

function openProject(dir: string): Project {
  linkModules(join(dir, 'node_modules'));
  const start = async (command: string, args: readonly string[], options: RunOptions = {}): Promise<Run> => {
    rmSync(join(dir, 'report.json'), { force: true });
    const ended = await runPlaywright([command, ...args], { cwd: dir, ...options });
    const report = readReport(join(dir, 'report.json'));
    const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = report?.stats ?? {};
    return {
      ...ended,
      passed: expected,
      failed: unexpected,
      flaky,
      skipped,
      report,
      packages: readPackages(join(dir, 'recipe-results')),
    };
  };
  return {
    dir,
    write: (files) => writeFiles(dir, files),
    move(from, to) {
      mkdirSync(dirname(join(dir, to)), { recursive: true });
      renameSync(join(dir, from), join(dir, to));
    },
    run: (args = [], options) => start('test', args, options),
    merge: (args, options) => start('merge-reports', args, options),
  };
}

// Links to node_modules of the repository, so that the tests use the built and installed package, like a user.
function linkModules(dir: string): void {
  mkdirSync(dir, { recursive: true });
  for (const name of ['recipewright', '@playwright', 'playwright', 'playwright-core', 'zod']) {
    symlinkSync(join(nodeModules, name), join(dir, name), 'junction');
  }
}

function installCopy(dir: string): void {
  const installed = join(nodeModules, 'recipewright');
  rmSync(dir);
  for (const name of ['dist', 'package.json']) cpSync(join(installed, name), join(dir, name), { recursive: true });
  symlinkSync(nodeModules, join(dir, 'node_modules'), 'junction');
}

function writeFiles(dir: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(dir, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
}

function configFile(files: Files, { config = {}, recipes = {} }: ProjectOptions): string {
  const setup = Object.keys(files).find((name) => /^recipes\.setup\.\w+$/.test(name));
  const options = { recipes: 'recipes/**/*.recipe.json', ...(setup === undefined ? {} : { setup: `./${setup}` }), ...recipes };
  return `
    import { defineConfig } from '@playwright/test';
    import { localChromium, withRecipes } from 'recipewright/playwright';

    export default withRecipes(
      defineConfig({
        workers: 1,
        use: localChromium(),
        reporter: [['list'], ['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']],
        ...${JSON.stringify(config)},
      }),
      ${JSON.stringify(options)},
    );
  `;
}
