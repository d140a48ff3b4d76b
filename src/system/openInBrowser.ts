// Opens a URL in the user's browser.
import { spawn } from 'node:child_process';

const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Uses the program in the variable BROWSER, as other tools do. With "none", nothing is opened. */
export function openInBrowser(url: string, env: NodeJS.ProcessEnv = process.env): void {
  if (env.BROWSER === 'none') return;
  const [program, ...args] = env.BROWSER ? [env.BROWSER] : (programs[process.platform] ?? ['xdg-open']);
  const child = spawn(program as string, [...args, url], { stdio: 'ignore', detached: true });
  // ENOENT: there is no browser to open, but the URL is printed anyway.
  child.on('error', () => undefined);
  child.unref();
}
