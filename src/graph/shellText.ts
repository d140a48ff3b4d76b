// References inside shell text. A value never becomes part of the text: it travels in an environment variable, quoted where it stands.
import { type Lookup, referencePattern, resolveReference } from './template.js';

/** How the shell reads the place of a reference; in `nested` another interpreter reads it again, and no quoting is safe. */
export type Quoting = 'bare' | 'double' | 'single' | 'nested';

export type ShellReference = { name: string; start: number; end: number; quoting: Quoting };

export function shellReferences(text: string): ShellReference[] {
  return [...text.matchAll(referencePattern())].map((match) => {
    const start = match.index;
    return { name: match[1] ?? '', start, end: start + match[0].length, quoting: quotingAt(text, start) };
  });
}

export function bindShell(text: string, lookup: Lookup): { text: string; env: Record<string, string> } {
  const env: Record<string, string> = {};
  let bound = '';
  let at = 0;
  for (const [index, { name, start, end, quoting }] of shellReferences(text).entries()) {
    if (quoting === 'nested') throw new Error(`{{${name}}} stands where another interpreter reads it.`);
    const value = resolveReference(name, lookup);
    const variable = `RECIPE_VALUE_${index + 1}`;
    env[variable] = typeof value === 'string' ? value : JSON.stringify(value);
    bound += text.slice(at, start) + quoted[quoting](variable);
    at = end;
  }
  return { text: bound + text.slice(at), env };
}

const quoted: Record<Exclude<Quoting, 'nested'>, (variable: string) => string> = {
  bare: (variable) => `"\${${variable}}"`,
  double: (variable) => `\${${variable}}`,
  single: (variable) => `'"\${${variable}}"'`,
};

// A command whose argument is a program in another language, or is read by a shell a second time.
const interpreter =
  /(^|[\s;|&('"`/])(eval|source|(ba|da|z|k|fi)?sh|node|deno|bun|tsx?|python[\d.]*|perl|ruby|php|ssh|su|sudo|pwsh|powershell|xargs|watch|timeout|env|awk|sed)\b/;
const readsCode = /(^|\s)(-[a-z]*[cepnr][a-z]*|--(eval|print|command|exec|expression))(\s|=|$)/i;

function quotingAt(text: string, position: number): Quoting {
  let quoting: Exclude<Quoting, 'nested'> = 'bare';
  let depth = 0;
  let commandStart = 0;
  for (let at = 0; at < position; at++) {
    const char = text[at];
    if (quoting === 'single') {
      if (char === "'") quoting = 'bare';
    } else if (char === '\\') at++;
    else if (char === '`') depth += depth > 0 && backtickOpen(text, at) ? -1 : 1;
    else if (char === '$' && (text[at + 1] === '(' || text[at + 1] === '{') && text[at + 2] !== '{') depth++;
    else if (depth > 0 && (char === ')' || char === '}') && quoting === 'bare') depth--;
    else if (char === '"') quoting = quoting === 'double' ? 'bare' : 'double';
    else if (char === "'" && quoting === 'bare') quoting = 'single';
    else if (quoting === 'bare' && /[;&|\n]/.test(char ?? '')) commandStart = at + 1;
  }
  if (depth > 0 || /<<-?\s*\\?['"]?\w/.test(text.slice(0, position))) return 'nested';
  const command = text.slice(commandStart, position);
  if (/(^|\s)(eval|source|ssh)\s/.test(command)) return 'nested';
  return interpreter.test(command) && readsCode.test(command) ? 'nested' : quoting;
}

function backtickOpen(text: string, position: number): boolean {
  let count = 0;
  for (let at = 0; at < position; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '`') count++;
  }
  return count % 2 === 1;
}
