// `recipewright run` without an installed browser.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { cliProject } from '../support/cli.js';
import { recipe } from '../support/recipe.js';
import { expectNoBrowserLeft, plainProject, run } from './plainProject.js';

const headless = recipe({ speak: { action: 'command', cmd: 'true' } });
const visible = recipe({ open: { action: 'ui.navigate', url: 'http://127.0.0.1:1/' } });

afterEach(() => void vi.unstubAllEnvs());

describe('a recipe without page actions', () => {
  test('a recipe without page actions runs although RECIPEWRIGHT_BROWSER does not exist', async () => {
    vi.stubEnv('RECIPEWRIGHT_BROWSER', '/no/such/browser');
    const { exitCode } = await plainProject(headless).run(...run);
    expect(exitCode).toBe(0);
  });

  test('a recipe without page actions does not load Playwright', async () => {
    const project = cliProject({ 'package.json': {}, 'a.recipe.json': headless, 'b.recipe.json': visible });
    const module = join(project.dir, 'node_modules/playwright-core');
    mkdirSync(module, { recursive: true });
    writeFileSync(join(module, 'index.js'), "require('node:fs').writeFileSync('loaded', ''); module.exports = {};");
    expect(await project.run(...run)).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(project.dir, 'loaded'))).toBe(false);
    await project.run('run', '--recipe', 'b.recipe.json', '--artifacts-dir', 'other');
    expect(existsSync(join(project.dir, 'loaded'))).toBe(true);
  });
});

describe('a recipe that needs a page', () => {
  test('a run without Playwright and the doctor give the same install command', async () => {
    const project = cliProject({ 'package.json': {}, 'a.recipe.json': visible });
    const { exitCode, stdout, stderr } = await project.run(...run, '--json');
    expect([exitCode, existsSync(join(project.dir, 'out'))]).toEqual([3, false]);
    const { status, findings } = JSON.parse(stdout);
    const hint = 'Install Playwright in the project: npm install --save-dev @playwright/test';
    expect([status, findings]).toMatchObject(['unknown', [{ code: 'run.no_playwright', hint }]]);
    expect(stderr).toMatch(/✗ runtime\.page: The recipe needs page/);
    const doctor = await project.run('doctor', '--recipe', 'a.recipe.json', '--json');
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(expect.objectContaining({ id: 'runtime.page', fix: hint }));
  });

  test('a run with a browser that is not installed gives the install command', async () => {
    const project = plainProject(visible);
    vi.stubEnv('PLAYWRIGHT_BROWSERS_PATH', project.temp);
    const { exitCode, stderr } = await project.run(...run, '--browser', 'firefox');
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/run\.no_browser .*Run "npx playwright install firefox"\./s);
    expectNoBrowserLeft(project);
  });

  test('a run fails when RECIPEWRIGHT_BROWSER does not exist', async () => {
    vi.stubEnv('RECIPEWRIGHT_BROWSER', '/no/such/browser');
    const project = plainProject(visible);
    const { exitCode, stderr } = await project.run(...run);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/run\.no_browser .*RECIPEWRIGHT_BROWSER is "\/no\/such\/browser".*Set it to the full path/s);
    expectNoBrowserLeft(project);
  });

  test('run --headed without a display suggests to remove --headed', async () => {
    const project = plainProject(visible);
    // Chromium's headless shell would not ask for a display.
    vi.stubEnv('RECIPEWRIGHT_BROWSER', undefined);
    vi.stubEnv('DISPLAY', undefined);
    vi.stubEnv('WAYLAND_DISPLAY', undefined);
    const { exitCode, stderr } = await project.run(...run, '--headed');
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/run\.browser_not_started .*Remove --headed/s);
    expectNoBrowserLeft(project);
  });

  test.for([
    [['--browser', 'chromum'], /Did you mean "chromium"\?/],
    [['--cdp-port', 'http'], /--cdp-port needs one port/],
    [['--cdp-port', '70000'], /--cdp-port needs one port/],
    [['--base-url', 'shop.example'], /--base-url needs one URL/],
    [['--cdp-port', '9222', '--browser', 'chromium'], /Pass only one of them/],
  ] as const)('run with %j exits with 2 and explains the usage', async ([flags, message]) => {
    const { exitCode, stdout, stderr } = await cliProject({ 'a.recipe.json': visible }).run(...run, ...flags);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('run refuses an unknown option in the config', async () => {
    const config = 'export default { browser: { headless: true } };';
    const { exitCode, stderr } = await cliProject({ 'a.recipe.json': visible, 'recipewright.config.mjs': config }).run(...run);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/run\.invalid_config .*headless/s);
  });
});
