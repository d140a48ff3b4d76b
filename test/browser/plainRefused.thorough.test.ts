// `recipewright run` where there is no browser, or where none is needed.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { cliProject } from '../support/cli.js';
import { recipe } from '../support/recipe.js';
import { expectGone, plainProject, run } from './plainProject.js';

const headless = recipe({ speak: { action: 'command', cmd: 'true' } });
const visible = recipe({ open: { action: 'ui.navigate', url: 'http://127.0.0.1:1/' } });

afterEach(() => void vi.unstubAllEnvs());

describe('a recipe without page actions', () => {
  test('needs no browser, even where the one that is named is not there', async () => {
    vi.stubEnv('RECIPEWRIGHT_BROWSER', '/no/such/browser');
    const { exitCode } = await plainProject(headless).run(...run);
    expect(exitCode).toBe(0);
  });

  test('does not even load Playwright', async () => {
    const made = cliProject({ 'package.json': {}, 'a.recipe.json': headless, 'b.recipe.json': visible });
    const module = join(made.dir, 'node_modules/playwright-core');
    mkdirSync(module, { recursive: true });
    writeFileSync(join(module, 'index.js'), "require('node:fs').writeFileSync('loaded', ''); module.exports = {};");
    expect(await made.run(...run)).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(made.dir, 'loaded'))).toBe(false);
    await made.run('run', '--recipe', 'b.recipe.json', '--artifacts-dir', 'other');
    expect(existsSync(join(made.dir, 'loaded'))).toBe(true);
  });
});

describe('a recipe that needs a page', () => {
  test('says exactly what to install when there is no Playwright, as the doctor does', async () => {
    const made = cliProject({ 'package.json': {}, 'a.recipe.json': visible });
    const { exitCode, stdout, stderr } = await made.run(...run, '--json');
    expect([exitCode, existsSync(join(made.dir, 'out'))]).toEqual([3, false]);
    const { status, findings } = JSON.parse(stdout);
    const hint = 'Install Playwright in the project: npm install --save-dev @playwright/test';
    expect([status, findings]).toMatchObject(['unknown', [{ code: 'run.no_playwright', hint }]]);
    expect(stderr).toMatch(/✗ runtime\.page: The recipe needs page/);
    const doctor = await made.run('doctor', '--recipe', 'a.recipe.json', '--json');
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(expect.objectContaining({ id: 'runtime.page', fix: hint }));
  });

  test('says which browser to install', async () => {
    const made = plainProject(visible);
    vi.stubEnv('PLAYWRIGHT_BROWSERS_PATH', made.temp);
    const { exitCode, stderr } = await made.run(...run, '--browser', 'firefox');
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/run\.no_browser .*Run "npx playwright install firefox"\./s);
    expectGone(made);
  });

  test('says that the browser which is named by the environment is not there', async () => {
    vi.stubEnv('RECIPEWRIGHT_BROWSER', '/no/such/browser');
    const made = plainProject(visible);
    const { exitCode, stderr } = await made.run(...run);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/run\.no_browser .*RECIPEWRIGHT_BROWSER is "\/no\/such\/browser".*Set it to the full path/s);
    expectGone(made);
  });

  test('says what a window needs where there is no display', async () => {
    const made = plainProject(visible);
    // Chromium's headless shell would not ask for a display.
    vi.stubEnv('RECIPEWRIGHT_BROWSER', undefined);
    vi.stubEnv('DISPLAY', undefined);
    vi.stubEnv('WAYLAND_DISPLAY', undefined);
    const { exitCode, stderr } = await made.run(...run, '--headed');
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/run\.browser_not_started .*Remove --headed/s);
    expectGone(made);
  });

  test.for([
    [['--browser', 'chromum'], /Did you mean "chromium"\?/],
    [['--cdp-port', 'http'], /--cdp-port needs one port/],
    [['--cdp-port', '70000'], /--cdp-port needs one port/],
    [['--base-url', 'shop.example'], /--base-url needs one URL/],
    [['--cdp-port', '9222', '--browser', 'chromium'], /Pass only one of them/],
  ] as const)('refuses %j as wrong usage', async ([flags, said]) => {
    const { exitCode, stdout, stderr } = await cliProject({ 'a.recipe.json': visible }).run(...run, ...flags);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(said);
  });

  test('refuses a setting of the config that does not exist', async () => {
    const config = 'export default { browser: { headless: true } };';
    const { exitCode, stderr } = await cliProject({ 'a.recipe.json': visible, 'recipewright.config.mjs': config }).run(...run);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/run\.invalid_config .*headless/s);
  });
});
