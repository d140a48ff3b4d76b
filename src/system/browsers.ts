// Finds the Chromium of a run: the one that the user sets, Playwright's own, or one that is installed on the machine.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

export type FoundBrowser = { executablePath?: string; source: 'env' | 'playwright' | 'system' };

export type BrowserLookup = {
  env?: Record<string, string | undefined>;
  platform?: NodeJS.Platform;
  exists?: (file: string) => boolean;
  /** Returns Playwright's `chromium.executablePath()`, whether or not that file exists. */
  playwrightPath?: () => string | undefined;
};

/** Searches in this order: RECIPEWRIGHT_BROWSER, Playwright's own Chromium, then Chrome, Chromium or Edge on this machine. */
export function findChromium(lookup: BrowserLookup = {}): FoundBrowser | undefined {
  const sources = { env: process.env, platform: process.platform, exists: existsSync, playwrightPath, ...lookup };
  const requested = sources.env.RECIPEWRIGHT_BROWSER;
  if (requested) return { executablePath: checkRequestedBrowser(requested, sources.exists), source: 'env' };
  return findPlaywrightBrowser(sources.playwrightPath(), sources.exists) ?? findSystemBrowser(sources);
}

/** Returns the path of the browser that `findChromium` finds, even if Playwright would find this browser itself. */
export function findChromiumProgram(lookup: BrowserLookup = {}): string | undefined {
  const browser = findChromium(lookup);
  if (!browser || browser.executablePath) return browser?.executablePath;
  return findHeadlessShell(toShellFolder((lookup.playwrightPath ?? playwrightPath)() ?? ''));
}

/** Returns the part of Playwright's `use` that starts this browser. Empty when Playwright finds the browser itself. */
export function launchOptionsFor(browser: FoundBrowser | undefined): { launchOptions?: { executablePath: string } } {
  // No `args`, because a second --disable-features would replace the list that Playwright passes.
  return browser?.executablePath ? { launchOptions: { executablePath: browser.executablePath } } : {};
}

function checkRequestedBrowser(requested: string, exists: (file: string) => boolean): string {
  const file = path.resolve(requested);
  if (exists(file)) return file;
  throw new Error(
    `RECIPEWRIGHT_BROWSER is ${JSON.stringify(requested)}, but there is no such file.\n` +
      'Set it to the full path of a Chrome, Chromium or Edge program, or unset it to use an installed browser.',
  );
}

// Headless runs start the separate "headless shell" build, which is installed beside the full build and has the same revision.
// If only the full build is installed, Playwright needs its path for a headless start.
function findPlaywrightBrowser(full: string | undefined, exists: (file: string) => boolean): FoundBrowser | undefined {
  if (!full) return undefined;
  const shellFolder = toShellFolder(full);
  if (shellFolder !== full && exists(`${shellFolder}INSTALLATION_COMPLETE`)) return { source: 'playwright' };
  return exists(full) ? { executablePath: full, source: 'playwright' } : undefined;
}

function toShellFolder(full: string): string {
  return full.replace(/([\\/])chromium-(\d+)[\\/].*$/, '$1chromium_headless_shell-$2$1');
}

// The folder and the name of the shell differ between platforms and versions of Playwright: chrome-linux/headless_shell,
// chrome-headless-shell-mac-arm64/chrome-headless-shell.
function findHeadlessShell(folder: string): string | undefined {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(path.join(folder, name)).map((file) => path.join(folder, name, file)));
  return files.find((file) => /[\\/](chrome-)?headless[-_]shell(\.exe)?$/.test(file));
}

// With pnpm, this package may be unable to resolve playwright-core, so this resolves it from Playwright's own package.
function playwrightPath(): string | undefined {
  for (const start of [import.meta.url, path.join(process.cwd(), 'package.json')]) {
    try {
      const test = createRequire(start).resolve('@playwright/test/package.json');
      const playwright = createRequire(test).resolve('playwright/package.json');
      return createRequire(playwright)('playwright-core').chromium.executablePath();
    } catch {
      // MODULE_NOT_FOUND: the peer is optional. An unsupported platform has no path either.
    }
  }
  return undefined;
}

function findSystemBrowser(sources: Required<BrowserLookup>): FoundBrowser | undefined {
  const executablePath = [...listPathCandidates(sources), ...listKnownLocations(sources)].find(
    (file) => sources.exists(file) && !isSnap(file),
  );
  return executablePath ? { executablePath, source: 'system' } : undefined;
}

const unixNames = [
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'microsoft-edge-stable',
  'microsoft-edge',
];
const windowsNames = ['chrome.exe', 'msedge.exe'];

function listPathCandidates({ env, platform }: Required<BrowserLookup>): string[] {
  const { join, delimiter } = platform === 'win32' ? path.win32 : path.posix;
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter(Boolean);
  const names = platform === 'win32' ? windowsNames : unixNames;
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function listKnownLocations({ env, platform }: Required<BrowserLookup>): string[] {
  if (platform === 'darwin') return listMacLocations(env.HOME);
  if (platform === 'win32') return listWindowsLocations([env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA]);
  const bins = unixNames.flatMap((name) => [`/usr/bin/${name}`, `/usr/local/bin/${name}`]);
  return [...bins, '/opt/google/chrome/chrome', '/opt/microsoft/msedge/msedge', '/usr/lib/chromium/chromium'];
}

function listMacLocations(home: string | undefined): string[] {
  const folders = ['/Applications', ...(home ? [`${home}/Applications`] : [])];
  const apps = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
  return apps.flatMap((app) => folders.map((folder) => `${folder}/${app}.app/Contents/MacOS/${app}`));
}

function listWindowsLocations(roots: (string | undefined)[]): string[] {
  const programs = [
    'Google\\Chrome\\Application\\chrome.exe',
    'Chromium\\Application\\chrome.exe',
    'Microsoft\\Edge\\Application\\msedge.exe',
  ];
  return programs.flatMap((program) => roots.flatMap((root) => (root ? [path.win32.join(root, program)] : [])));
}

// Ubuntu's chromium-browser only starts a snap, which has its own /tmp and so cannot read the profile that Playwright creates.
function isSnap(file: string): boolean {
  if (file.startsWith('/snap/')) return true;
  if (!/chromium(-browser)?$/.test(file)) return false;
  try {
    const text = readFileSync(file, { encoding: 'latin1' }).slice(0, 4096);
    return text.startsWith('#!') && text.includes('/snap/bin/');
  } catch {
    return false; // ENOENT, EACCES: not a script we can read, so not the stub
  }
}
