// Finds a Chromium that starts, and installs one when there is none.
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
    throw noBrowser('There is no Chromium that starts, and RECIPEWRIGHT_NO_INSTALL forbids to install one.');
  for (const install of [downloadWithPlaywright, installWithPackageManager]) {
    const found = (await install(say)) && (await tryBrowser(browsers, say));
    if (found) return found;
  }
  throw noBrowser('There is no Chromium that starts, and none could be installed.');
}

/**
 * Playwright itself uses a separate "headless shell" build for headless runs. Debian packages one as well: tests run about
 * twice as fast in it, so it is installed where that needs no password. Elsewhere tests run in the browser that was found.
 */
export async function preferHeadlessShell(found, say) {
  // Not the script of that name in /usr/bin: killing the script would leave the browser running.
  const shell = '/usr/lib/chromium/chromium-headless-shell';
  if (found.source !== 'system') return found;
  if (!existsSync(shell) && !process.env.RECIPEWRIGHT_NO_INSTALL) await installHeadlessShell(say);
  if (!existsSync(shell) || (await launch({ executablePath: shell }))) return found;
  process.env.RECIPEWRIGHT_BROWSER = shell;
  return { executablePath: shell, source: 'env' };
}

async function tryBrowser({ findChromium, launchOptionsFor }, say) {
  const found = find(findChromium);
  if (!found) return undefined;
  const identity = identify(found);
  if (readStamp().browser === identity) return found;
  const problem = await launch(launchOptionsFor(found).launchOptions);
  if (!problem) {
    writeStamp({ browser: identity });
    return found;
  }
  const name = found.executablePath ?? "Playwright's own Chromium";
  if (found.source === 'env') throw noBrowser(`RECIPEWRIGHT_BROWSER names ${name}, which does not start: ${problem}`);
  say(`${name} is there but does not start: ${problem}`);
  return undefined;
}

function find(findChromium) {
  try {
    return findChromium();
  } catch (error) {
    throw Object.assign(error, { stage: 'browser' });
  }
}

/** Starts it headless and opens a page; returns what went wrong. */
async function launch(options) {
  let browser;
  try {
    browser = await require('@playwright/test').chromium.launch({ ...options, timeout: 30_000 });
    const page = await browser.newPage();
    await page.goto('data:text/html,<title>ready</title>');
    const title = await page.title();
    return title === 'ready' ? undefined : `it opened a page titled ${JSON.stringify(title)}`;
  } catch (error) {
    return reason(error.message);
  } finally {
    await browser?.close();
  }
}

// Playwright's first line is the same for every cause; the browser's own words are further down.
function reason(message) {
  const lines = message.split('\n');
  return lines.find((line) => /error while loading|missing dependencies|ENOENT|EACCES/.test(line))?.trim() ?? lines[0];
}

// A browser that started once is not started again until it changes.
function identify({ source, executablePath }) {
  const { version } = require('@playwright/test/package.json');
  if (!executablePath) return `${source} ${version}`;
  const { size, mtimeMs } = statSync(executablePath);
  return `${source} ${version} ${executablePath} ${size} ${mtimeMs}`;
}

// The one list of places lives in src/. Node 20 cannot run TypeScript, so compile that file alone, once per version of it.
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
  return import(`${url}?fresh`); // Node remembers the first, failed import
}

function noBrowser(why) {
  const lines = [
    why,
    '  Do one of these, then run the command again:',
    "    npx playwright install --with-deps chromium    (downloads Playwright's own; asks for sudo on Linux)",
    '    install Google Chrome, Chromium or Edge the way you install programs',
    '    RECIPEWRIGHT_BROWSER=/path/to/chrome           (names one you already have)',
  ];
  return Object.assign(new Error(lines.join('\n')), { stage: 'browser' });
}
