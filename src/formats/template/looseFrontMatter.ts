// Front matter as the reference reads it, which is not YAML: what it does not expect is lost without a word.
import { isObject } from './templateNode.js';
import type { Raw } from './templateRecipe.js';

export function readLooseFrontMatter(lines: readonly string[]): Raw {
  const { args, defaults, ...others } = readMap(lines, 0);
  return {
    ...others,
    ...(args === undefined ? {} : { args: typeof args === 'string' ? args.split(',').map((part) => part.trim()) : args }),
    ...(defaults === undefined ? {} : { defaults: Array.isArray(defaults) ? pairsOf(defaults) : defaults }),
  };
}

function pairsOf(items: readonly unknown[]): Raw {
  const pairs = items.map((item) => {
    const [, key = String(item), value = ''] = /^([^:]*):\s*(.*)$/.exec(String(item)) ?? [];
    return [key.trim(), scalar(value)];
  });
  return Object.fromEntries(pairs) as Raw;
}

function readMap(lines: readonly string[], indent: number): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, key, value = ''] = /^ *([^\s:#-][^:]*):\s*(.*)$/.exec(line) ?? [];
    if (key === undefined || indentOf(line) !== indent) continue;
    const block = value === '' ? blockAfter(lines, at, indent) : [];
    found[key.trim()] = block.length > 0 ? readBlock(block, indent + 2) : scalar(value);
    at += block.length;
  }
  return found;
}

function blockAfter(lines: readonly string[], at: number, indent: number): string[] {
  const rest = lines.slice(at + 1);
  const isInside = (line: string): boolean => (indent === 0 ? /^\s/.test(line) : indentOf(line) > indent);
  const end = rest.findIndex((line) => line.trim() === '' || !isInside(line));
  return end === -1 ? rest : rest.slice(0, end);
}

function readBlock(lines: readonly string[], indent: number): unknown {
  const items = lines.map((line) => /^ +- +(.*)$/.exec(line)?.[1]);
  return items.every((item) => item !== undefined) ? items.map(scalar) : readMap(lines, indent);
}

function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

function scalar(written: string): unknown {
  const text = written.trim();
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  const quoted = /^"([^"\\]*)"$/.exec(text) ?? /^'([^']*)'$/.exec(text);
  if (quoted) return quoted[1];
  return /^[[{]/.test(text) ? inlineJson(text) : text;
}

function inlineJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) || isObject(parsed) ? parsed : text;
  } catch {
    // SyntaxError: then it is a text like any other.
    return text;
  }
}
