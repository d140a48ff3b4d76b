// Starts an app with a debugging port that a run can attach to: a Chromium outside the run.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from '../../src/system/browsers.js';

export type RunningApp = { port: number; child: ChildProcess; pages(): Promise<string[]>; end(): Promise<void> };

export async function startApp(url: string, more: readonly string[] = []): Promise<RunningApp> {
  const profile = mkdtempSync(join(tmpdir(), 'recipewright-app-'));
  const flags = ['--headless=new', '--no-sandbox', '--remote-debugging-port=0', `--user-data-dir=${profile}`, '--no-first-run'];
  const program = findChromium()?.executablePath ?? 'chromium';
  const child = spawn(program, [...flags, ...more, url], { stdio: ['ignore', 'ignore', 'pipe'] });
  const port = await new Promise<number>((resolve) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      const [, portText] = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(chunk.toString()) ?? [];
      if (portText) resolve(Number(portText));
    });
  });
  const end = async (): Promise<void> => {
    // Other processes of the browser also write into the profile. The event "close" comes when the last of them has ended.
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.kill('SIGTERM');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return { port, child, pages: () => pagesAt(port), end };
}

/** Returns the URLs of the pages that the app reports on its debugging port. */
async function pagesAt(port: number): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`);
  const targets = (await response.json()) as { type: string; url: string }[];
  return targets.filter(({ type }) => type === 'page').map(({ url }) => url);
}
