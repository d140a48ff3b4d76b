// Shows an address in the browser of whoever sits at this machine.
import { spawn } from 'node:child_process';

const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** BROWSER names the program to use, as it does for others; "none" is nobody. */
export function openInBrowser(url: string, env: NodeJS.ProcessEnv = process.env): void {
  if (env.BROWSER === 'none') return;
  const [program, ...args] = env.BROWSER ? [env.BROWSER] : (programs[process.platform] ?? ['xdg-open']);
  const child = spawn(program as string, [...args, url], { stdio: 'ignore', detached: true });
  // ENOENT: there is no browser to open, and the address is printed anyway.
  child.on('error', () => undefined);
  child.unref();
}
