// Runs the built command line in a temporary project directory.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export type Ended = { exitCode: number | null; signal: string | null; stdout: string; stderr: string };

export type Project = {
  dir: string;
  run(...args: string[]): Promise<Ended>;
  /** Starts the command line and returns the process, so that a test can send signals. `sees` waits for a string in stderr. */
  start(...args: string[]): { child: ChildProcess; ended: Promise<Ended>; sees(text: string): Promise<void> };
};

export function cliProject(files: Record<string, unknown>): Project {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  const start: Project['start'] = (...args) => {
    const child = spawn(process.execPath, [program, ...args], { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    let onStderr = (): void => undefined;
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      onStderr();
    });
    const ended = new Promise<Ended>((resolve) => {
      child.on('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }));
    });
    const sees = (text: string): Promise<void> =>
      new Promise((resolve, reject) => {
        onStderr = () => {
          if (stderr.includes(text)) resolve();
        };
        onStderr();
        void ended.then(({ exitCode }) =>
          reject(new Error(`The command exited with ${exitCode} before stderr contained ${JSON.stringify(text)}:\n${stderr}`)),
        );
      });
    return { child, ended, sees };
  };
  return { dir, start, run: (...args) => start(...args).ended };
}
