import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BrowserLookup, findChromium, launchOptionsFor } from '../../../src/system/browsers.js';

const cache = '/home/ada/.cache/ms-playwright';
const fullBuild = `${cache}/chromium-1254/chrome-linux64/chrome`;
const shellMarker = `${cache}/chromium_headless_shell-1254/INSTALLATION_COMPLETE`;

test('RECIPEWRIGHT_BROWSER comes before all other browsers', () => {
  const requested = path.resolve('/opt/mine/chrome');
  const found = look({ files: [requested, shellMarker, '/usr/bin/chromium'], env: { RECIPEWRIGHT_BROWSER: '/opt/mine/chrome' } });
  expect(found).toEqual({ executablePath: requested, source: 'env' });
});

test('RECIPEWRIGHT_BROWSER with a missing file is an error that says what to do, and does not fall back to another browser', () => {
  expect(() =>
    look({ files: ['/usr/bin/chromium'], env: { RECIPEWRIGHT_BROWSER: '/opt/nope' } }),
  ).toThrowErrorMatchingInlineSnapshot(`
    [Error: RECIPEWRIGHT_BROWSER is "/opt/nope", but there is no such file.
    Set it to the full path of a Chrome, Chromium or Edge program, or unset it to use an installed browser.]
  `);
});

test("Playwright's headless shell comes before an installed browser, and needs no path", () => {
  expect(look({ files: [shellMarker, '/usr/bin/google-chrome'] })).toEqual({ source: 'playwright' });
});

test("Playwright's full build without the shell is started by its path", () => {
  expect(look({ files: [fullBuild, '/usr/bin/google-chrome'] })).toEqual({ executablePath: fullBuild, source: 'playwright' });
});

test('a headless shell of another revision does not count', () => {
  expect(look({ files: [`${cache}/chromium_headless_shell-1200/INSTALLATION_COMPLETE`] })).toBeUndefined();
});

test("the folder of Playwright's headless shell is found on Windows too", () => {
  const root = 'C:\\Users\\ada\\AppData\\Local\\ms-playwright';
  const found = look({
    platform: 'win32',
    files: [`${root}\\chromium_headless_shell-1254\\INSTALLATION_COMPLETE`],
    playwrightPath: () => `${root}\\chromium-1254\\chrome-win64\\chrome.exe`,
  });
  expect(found).toEqual({ source: 'playwright' });
});

test('without Playwright, a browser that is installed on the machine is found', () => {
  const found = look({ files: ['/usr/bin/chromium'], playwrightPath: () => undefined });
  expect(found).toEqual({ executablePath: '/usr/bin/chromium', source: 'system' });
});

test('Chrome comes before Chromium, and Chromium before Edge, in any order of PATH', () => {
  const files = ['/a/microsoft-edge', '/b/chromium', '/c/google-chrome'];
  const env = { PATH: '/a:/b:/c' };
  const paths = files.map((_, dropped) => look({ files: files.slice(0, files.length - dropped), env })?.executablePath);
  expect(paths).toEqual(['/c/google-chrome', '/b/chromium', '/a/microsoft-edge']);
});

test.each<[NodeJS.Platform, string]>([
  ['linux', '/opt/google/chrome/chrome'],
  ['linux', '/usr/bin/chromium-browser'],
  ['darwin', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  ['darwin', '/home/ada/Applications/Chromium.app/Contents/MacOS/Chromium'],
  ['win32', 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
  ['win32', 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe'],
  ['win32', 'D:\\tools\\chrome.exe'],
])('findChromium on %s finds %s', (platform, file) => {
  const env = {
    HOME: '/home/ada',
    PATH: platform === 'win32' ? 'D:\\tools;D:\\more' : '/bin',
    PROGRAMFILES: 'C:\\Program Files',
    'PROGRAMFILES(X86)': 'C:\\Program Files (x86)',
  };
  expect(look({ platform, files: [file], env })).toEqual({ executablePath: file, source: 'system' });
});

test('findChromium returns undefined when there is no browser', () => {
  expect(look({ files: [], env: {} })).toBeUndefined();
});

test('launchOptionsFor returns options only for a browser with a path', () => {
  expect(launchOptionsFor(undefined)).toEqual({});
  expect(launchOptionsFor({ source: 'playwright' })).toEqual({});
  expect(launchOptionsFor({ source: 'system', executablePath: '/usr/bin/chromium' })).toEqual({
    launchOptions: { executablePath: '/usr/bin/chromium' },
  });
});

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'browsers-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("findChromium skips Ubuntu's script that starts a snap", () => {
  const stub = program('chromium-browser', '#!/bin/sh\nexec /snap/bin/chromium "$@"\n');
  expect(look({ files: [stub, '/snap/bin/chromium'], env: { PATH: `${folder}:/snap/bin` } })).toBeUndefined();
});

test("findChromium accepts Debian's wrapper script", () => {
  const wrapper = program('chromium', '#!/bin/sh\nexec /usr/lib/chromium/chromium "$@"\n');
  expect(look({ files: [wrapper], env: { PATH: folder } })).toEqual({ executablePath: wrapper, source: 'system' });
});

test('findChromium without arguments searches the real machine', () => {
  const chrome = program('chrome', '');
  const { RECIPEWRIGHT_BROWSER: before } = process.env;
  process.env.RECIPEWRIGHT_BROWSER = chrome;
  try {
    expect(findChromium()).toEqual({ executablePath: chrome, source: 'env' });
  } finally {
    if (before === undefined) delete process.env.RECIPEWRIGHT_BROWSER;
    else process.env.RECIPEWRIGHT_BROWSER = before;
  }
});

test('findChromium asks the installed Playwright for the path of its browser', () => {
  const requestedPaths: string[] = [];
  findChromium({ env: {}, exists: (file) => requestedPaths.push(file) < 0 });
  expect(requestedPaths[0]).toMatch(/chromium_headless_shell-\d+.INSTALLATION_COMPLETE$/);
});

function look({ files, ...lookup }: BrowserLookup & { files: string[] }) {
  const defaults: BrowserLookup = { env: { PATH: '/usr/bin' }, platform: 'linux', playwrightPath: () => fullBuild };
  return findChromium({ ...defaults, exists: (file) => files.includes(file), ...lookup });
}

function program(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}
