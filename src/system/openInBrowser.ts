// Opens an address in the user's browser.
import { spawn } from 'node:child_process';

const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** BROWSER names the program to use, as for other tools; "none" opens nothing. */
export function openInBrowser(url: string, env: NodeJS.ProcessEnv = process.env): void {
  if (env.BROWSER === 'none') return;
  const [program, ...args] = env.BROWSER ? [env.BROWSER] : (programs[process.platform] ?? ['xdg-open']);
  const child = spawn(program as string, [...args, url], { stdio: 'ignore', detached: true });
  // ENOENT: there is no browser to open, and the address is printed anyway.
  child.on('error', () => undefined);
  child.unref();
}
