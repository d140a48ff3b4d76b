// An app that runs already, with a debugging port: a Chromium that nobody of the run has started.
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
      const [, said] = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(chunk.toString()) ?? [];
      if (said) resolve(Number(said));
    });
  });
  const end = async (): Promise<void> => {
    // Its other processes write into the profile as well; the last one of them closes what it prints to.
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.kill('SIGTERM');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return { port, child, pages: () => pagesAt(port), end };
}

/** The pages of the app, as it tells them itself. */
async function pagesAt(port: number): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`);
  const targets = (await response.json()) as { type: string; url: string }[];
  return targets.filter(({ type }) => type === 'page').map(({ url }) => url);
}
