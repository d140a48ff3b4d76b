// Which browser a run on the command line uses.
import { resolve } from 'node:path';
import type { BrowserOptions } from '../browser/launchBrowser.js';
import { didYouMean } from '../document/nearest.js';
import { isFile } from '../system/files.js';
import { UsageError } from './usage.js';

export type BrowserFlag = 'headed' | 'browser' | 'cdpPort' | 'baseUrl';

export function browserOf(flags: Readonly<Partial<Record<BrowserFlag, unknown>>>): BrowserOptions {
  const options: BrowserOptions = {};
  if (flags.headed !== undefined) options.headed = flags.headed === true;
  if (flags.browser !== undefined) options.name = nameOf(flags.browser);
  if (flags.cdpPort !== undefined) options.cdpPort = portOf(flags.cdpPort);
  if (flags.baseUrl !== undefined) options.baseURL = urlOf(flags.baseUrl);
  if (options.cdpPort !== undefined && options.name !== undefined)
    throw new UsageError('--browser starts a browser and --cdp-port attaches to one that runs: give one of them.');
  return options;
}

const names = ['chromium', 'firefox', 'webkit'];

function nameOf(given: unknown): string {
  if (typeof given !== 'string' || given === '') throw new UsageError('--browser needs one name or path.');
  if (names.includes(given)) return given;
  const file = resolve(given);
  if (isFile(file)) return file;
  throw new UsageError(`--browser ${given} is no browser and no program. ${didYouMean(given, names)}`);
}

function portOf(given: unknown): number {
  const port = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  throw new UsageError(`--cdp-port needs one port, a number from 1 to 65535, but it is ${JSON.stringify(given)}.`);
}

function urlOf(given: unknown): string {
  if (typeof given === 'string' && /^https?:\/\//.test(given) && URL.canParse(given)) return given;
  throw new UsageError(`--base-url needs one URL with http or https, but it is ${JSON.stringify(given)}.`);
}
