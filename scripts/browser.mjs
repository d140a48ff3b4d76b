// Finds a Chromium that starts, or installs one.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { downloadWithPlaywright, installHeadlessShell, installWithPackageManager } from './installBrowser.mjs';
import { root } from './run.mjs';
import { readStamp, writeStamp } from './stamp.mjs';

const require = createRequire(path.join(root, 'package.json'));

export async function ensureBrowser(say) {
  const browsers = await loadBrowsers();
  const ready = await tryBrowser(browsers, say);
  if (ready) return ready;
  if (process.env.RECIPEWRIGHT_NO_INSTALL)
    throw createBrowserError('No Chromium was found that starts, and RECIPEWRIGHT_NO_INSTALL prevents the installation of one.');
  for (const install of [downloadWithPlaywright, installWithPackageManager]) {
    const browser = (await install(say)) && (await tryBrowser(browsers, say));
    if (browser) return browser;
  }
  throw createBrowserError('No Chromium was found that starts, and none could be installed.');
}

/**
 * Replaces a Chromium of the system by its "headless shell" build, in which tests run about twice as fast. Playwright also uses
 * such a build for headless runs. Debian has a package of it, which is installed if that needs no password. Otherwise returns the
 * same browser.
 */
export async function preferHeadlessShell(browser, say) {
  // The script of the same name in /usr/bin is not used, because killing the script would leave the browser running.
  const shell = '/usr/lib/chromium/chromium-headless-shell';
  if (browser.source !== 'system') return browser;
  if (!existsSync(shell) && !process.env.RECIPEWRIGHT_NO_INSTALL) await installHeadlessShell(say);
  if (!existsSync(shell) || (await launch({ executablePath: shell }))) return browser;
  process.env.RECIPEWRIGHT_BROWSER = shell;
  return { executablePath: shell, source: 'env' };
}

async function tryBrowser({ findChromium, launchOptionsFor }, say) {
  const browser = find(findChromium);
  if (!browser) return undefined;
  const identity = identify(browser);
  if (readStamp().browser === identity) return browser;
  const problem = await launch(launchOptionsFor(browser).launchOptions);
  if (!problem) {
    writeStamp({ browser: identity });
    return browser;
  }
  const name = browser.executablePath ?? "Playwright's own Chromium";
  if (browser.source === 'env')
    throw createBrowserError(`RECIPEWRIGHT_BROWSER is ${name}, but this browser does not start: ${problem}`);
  say(`${name} exists but does not start: ${problem}`);
  return undefined;
}

function find(findChromium) {
  try {
    return findChromium();
  } catch (error) {
    throw Object.assign(error, { stage: 'browser' });
  }
}

/** Starts the browser headless and opens a page. Returns the problem, or undefined. */
async function launch(options) {
  let browser;
  try {
    browser = await require('@playwright/test').chromium.launch({ ...options, timeout: 30_000 });
    const page = await browser.newPage();
    await page.goto('data:text/html,<title>ready</title>');
    const title = await page.title();
    return title === 'ready' ? undefined : `the title of the test page is ${JSON.stringify(title)}`;
  } catch (error) {
    return findReason(error.message);
  } finally {
    await browser?.close();
  }
}

// The first line of Playwright's message is the same for every cause. The message of the browser comes later.
function findReason(message) {
  const lines = message.split('\n');
  return lines.find((line) => /error while loading|missing dependencies|ENOENT|EACCES/.test(line))?.trim() ?? lines[0];
}

// Identifies the browser, so that a browser that has started once is tested again only after it changed.
function identify({ source, executablePath }) {
  const { version } = require('@playwright/test/package.json');
  if (!executablePath) return `${source} ${version}`;
  const { size, mtimeMs } = statSync(executablePath);
  return `${source} ${version} ${executablePath} ${size} ${mtimeMs}`;
}

// Loads the list of browser paths from src/. Node 20 cannot run TypeScript, so this compiles the file, once per version of the
// file.
async function loadBrowsers() {
  const source = readFileSync(path.join(root, 'src/system/browsers.ts'), 'utf8');
  const folder = path.join(root, 'node_modules/.cache/recipewright-setup');
  const file = path.join(folder, `browsers-${createHash('sha256').update(source).digest('hex').slice(0, 12)}.mjs`);
  const url = pathToFileURL(file).href;
  try {
    return await import(url);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
  const ts = require('typescript');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, outputText);
  return import(`${url}?fresh`); // Node caches the first, failed import.
}

function createBrowserError(problem) {
  const lines = [
    problem,
    '  Do one of these, then run the command again:',
    "    npx playwright install --with-deps chromium    (downloads Playwright's Chromium; asks for sudo on Linux)",
    '    install Google Chrome, Chromium or Edge with your package manager',
    '    RECIPEWRIGHT_BROWSER=/path/to/chrome           (uses an installed browser)',
  ];
  return Object.assign(new Error(lines.join('\n')), { stage: 'browser' });
}
