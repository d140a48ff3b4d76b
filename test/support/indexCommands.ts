// Copies the rerun command of a failed recipe from index.md and runs it in a shell, like a user.
import { spawn } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { nodeModules } from './runPlaywright.js';

/** Returns the rerun commands of an index.md, by recipe. */
export function commandsIn(text: string): Map<string, string> {
  const sections = text.split(/^## /m).slice(1);
  return new Map(
    sections.flatMap((section): [string, string][] => {
      const [, name = ''] = /^(.*): (?:fail|unknown)$/m.exec(section) ?? [];
      const [, , command] = /^- run again: (`+) ?(.*?) ?\1$/m.exec(section) ?? [];
      return command === undefined ? [] : [[name.replaceAll(/\\(.)/g, '$1'), command]];
    }),
  );
}

// Environment variables that would make the inner run believe that it belongs to the outer one.
const outerVariables =
  /^(CI$|TEST|PW|PLAYWRIGHT_(?!BROWSERS_PATH)|VITE|NODE_|RECIPEWRIGHT_(?!BROWSER$)|FORCE_COLOR|DEBUG_COLORS|NO_COLOR)/;

export function paste(command: string, cwd: string): Promise<{ exitCode: number | null; output: string }> {
  const programs = join(cwd, 'node_modules/.bin');
  if (!existsSync(programs)) symlinkSync(join(nodeModules, '.bin'), programs, 'junction');
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !outerVariables.test(name)));
  const child = spawn('sh', ['-c', command], { cwd, env: { ...env, NO_COLOR: '1', PLAYWRIGHT_HTML_OPEN: 'never' } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, output }));
  });
}
