// What of a value has to stay hidden: the whole, and the pieces of it that are secrets by themselves.
import { weakness } from './weakness.js';

/** A shorter line of a key file is too likely to stand in some other text. */
const shortestLine = 16;
/** A text in a JSON text in a JSON text … */
const deepest = 4;
const header = /^-----(?:BEGIN|END) .*-----$|^(?:Proc-Type|DEK-Info|Version|Comment): /;

/** Without white space around it: what prints a secret often drops it, and a file ends with a line break. */
export function partsOf(value: string, depth = 0): Set<string> {
  const text = value.trim();
  const leaves = depth < deepest ? stringsIn(text) : undefined;
  const pieces = leaves ? leaves.flatMap((leaf) => [...partsOf(leaf, depth + 1)]) : linesOf(text);
  const unquoted = /^(["'`])([\s\S]*)\1$/.exec(text)?.[2]?.trim() ?? text;
  return new Set([text, unquoted, ...pieces].filter((part) => weakness(part) === undefined));
}

function linesOf(text: string): string[] {
  if (!text.includes('\n')) return [];
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line.length >= shortestLine && !header.test(line));
}

/** The texts inside of a JSON object or array; undefined for everything else. */
function stringsIn(text: string): string[] | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  const open = [parse(text)];
  if (open[0] === undefined) return undefined;
  const strings: string[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') strings.push(next);
    else if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) open.push(inner);
  }
  return strings;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // SyntaxError: it only looks like JSON.
    return undefined;
  }
}
