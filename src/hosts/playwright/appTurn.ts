// Tests in one app take turns: what one does in its page must never be the proof of another.
import { dirname, join } from 'node:path';
import type { TestInfo } from '@playwright/test';
import { systemClock } from '../../system/clock.js';
import { acquireLock } from '../../system/files/lockFile.js';
import { cacheFolder } from './hostProject.js';

const pollMs = 50;

/** One project has one worker; other projects, or another run of these tests, may mean the same app. Gives what ends the turn. */
export async function appTurn(port: number, { config: { configFile, rootDir } }: TestInfo): Promise<() => void> {
  const caches = dirname(cacheFolder(configFile ?? join(rootDir, 'playwright.config.ts'), 'app'));
  const lock = join(caches, `app-${port}.lock`);
  for (;;) {
    const giveBack = acquireLock(lock);
    if (giveBack) return giveBack;
    await new Promise<void>((resolve) => systemClock.after(pollMs, resolve));
  }
}
