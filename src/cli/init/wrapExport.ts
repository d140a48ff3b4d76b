// Changes to a config file that leave its own text as it stands.
import { endOf } from './skipCode.js';

/** What a config exports, when that is the last thing it says. */
type Exported = { before: string; expression: string; after: string };

/** `wrap` gets the exported expression; undefined when the file is written in a way that this cannot change safely. */
export function wrapExport(
  text: string,
  imported: { name: string; from: string },
  wrap: (expression: string) => string,
): string | undefined {
  const found = exportedIn(text);
  if (!found) return undefined;
  const isModule = found.before.trimEnd().endsWith('export default');
  const quote =
    text.includes("from '") || text.includes("require('")
      ? "'"
      : text.includes('from "') || text.includes('require("')
        ? '"'
        : "'";
  const from = `${quote}${imported.from}${quote}`;
  const line = isModule ? `import { ${imported.name} } from ${from};` : `const { ${imported.name} } = require(${from});`;
  return `${withImport(found.before, line)}${wrap(found.expression)}${found.after}`;
}

function exportedIn(text: string): Exported | undefined {
  const start = [...text.matchAll(/^(export default|module\.exports =)\s+/gm)].at(-1);
  if (!start) return undefined;
  const from = start.index + start[0].length;
  const end = endOf(text, from);
  if (end === undefined || !isSpace(text.slice(end))) return undefined;
  return { before: text.slice(0, from), expression: text.slice(from, end), after: text.slice(end) };
}

/** Nothing but what may follow the last statement of a file. */
function isSpace(text: string): boolean {
  return /^(\s|;|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*$/.test(text);
}

// After the last line that imports something, else on top, below what a comment says about the whole file.
function withImport(before: string, line: string): string {
  const imports = [
    ...before.matchAll(/^(import\b[^;]*?from\s+['"][^'"]+['"];?|(?:const|let|var)\s[^;\n]*?require\([^)]*\);?)[^\n]*\n/gm),
  ].at(-1);
  const at = imports
    ? imports.index + imports[0].length
    : (/^(#![^\n]*\n|\s*\/\/[^\n]*\n|\s*\/\*[\s\S]*?\*\/\s*\n)*/.exec(before)?.[0].length ?? 0);
  return `${before.slice(0, at)}${line}\n${imports ? '' : '\n'}${before.slice(at)}`;
}
