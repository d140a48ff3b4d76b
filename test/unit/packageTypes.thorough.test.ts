// Compiles projects of users against the declarations of the package, with every check of TypeScript and of libraries on.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));

const library = `import { defineAction, defineSetup, runRecipe, type TargetResolver, z } from 'recipewright';
const restock = defineAction({
  name: 'shop.restock',
  description: 'Puts items on the shelf.',
  schema: z.strictObject({ count: z.int() }),
  examples: [],
  effect: 'backdoor',
  run: ({ count }) => ({ output: { count: count + 1 } }),
});
const targetResolver: TargetResolver = async ({ candidates, page }) => (page && candidates.length > 0 ? { index: 0 } : undefined);
export default defineSetup({ actions: [restock], targetResolver });
export const result = runRecipe('a.recipe.json', { artifactsDir: 'out' });
`;
const playwright = {
  'playwright.config.ts': `import { defineConfig } from '@playwright/test';
import { withRecipes } from 'recipewright/playwright';
export default withRecipes(defineConfig({ projects: [{ name: 'desktop' }] }), {});
`,
  'own.spec.ts': `import type { Page } from '@playwright/test';
import { defineSetup, type TargetResolver } from 'recipewright';
import Reporter from 'recipewright/playwright/reporter';
import { test } from 'recipewright/playwright';
const targetResolver: TargetResolver<Page> = async ({ page }) => ({ selector: await page.title() });
export const setup = defineSetup({ targetResolver });
test('a recipe', async ({ recipe }) => {
  await recipe.run('a.recipe.json');
});
export { Reporter };
`,
};
const vitest = {
  'vitest.config.ts': `import { recipes } from 'recipewright/vitest';
import Reporter from 'recipewright/vitest/reporter';
import { defineConfig } from 'vitest/config';
export default defineConfig({ plugins: [recipes({ recipes: '**/*.recipe.json' })], test: { reporters: [new Reporter()] } });
`,
};

const resolutions = {
  nodenext: { type: 'module', options: { module: 'nodenext' } },
  'CommonJS of Node': { type: 'commonjs', options: { module: 'node16' } },
  'CommonJS with the oldest resolution': { type: 'commonjs', options: { module: 'commonjs', moduleResolution: 'node10' } },
  bundler: { type: 'module', options: { module: 'esnext', moduleResolution: 'bundler' } },
} as const;

const hosts = {
  'only Playwright': { files: playwright, packages: ['@playwright/test', 'playwright', 'playwright-core'] },
  'only Vitest': { files: vitest, packages: ['vitest', 'vite'] },
  'no test runner': { files: {}, packages: [] },
};
// The declarations of Vitest themselves need a resolution that reads "exports".
const cases = Object.keys(hosts).flatMap((host) =>
  Object.keys(resolutions)
    .filter((resolution) => host !== 'only Vitest' || !resolution.startsWith('CommonJS'))
    .map((resolution) => [host, resolution] as [keyof typeof hosts, keyof typeof resolutions]),
);

test.for(cases)('a strict project with %s compiles with the module resolution %s', async ([host, resolution]) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'types-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(path.join(dir, 'node_modules/@types'), { recursive: true });
  mkdirSync(path.join(dir, 'node_modules/@playwright'));
  // A copy: through a link, TypeScript would find the packages of this repository, which the project does not have.
  cpSync(path.join(modules, 'recipewright'), path.join(dir, 'node_modules/recipewright'), { recursive: true });
  const { files, packages } = hosts[host];
  for (const name of ['zod', '@types/node', ...packages])
    symlinkSync(path.join(modules, name), path.join(dir, 'node_modules', name));
  const { type, options } = resolutions[resolution];
  const compilerOptions = {
    ...{ strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, noEmit: true, target: 'es2022', types: ['node'] },
    ...{ lib: ['esnext', 'dom', 'dom.iterable'], esModuleInterop: true, ...options },
  };
  const all = { 'package.json': { type }, 'tsconfig.json': { compilerOptions }, 'setup.ts': library, ...files };
  for (const [name, content] of Object.entries(all))
    writeFileSync(path.join(dir, name), typeof content === 'string' ? content : JSON.stringify(content));
  const compiler = path.join(modules, 'typescript/bin/tsc');
  const printed = await promisify(execFile)(process.execPath, [compiler, '--project', dir]).catch(
    (error: { stdout: string }) => error,
  );
  expect(printed.stdout).toBe('');
});
