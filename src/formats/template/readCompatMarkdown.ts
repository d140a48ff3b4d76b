// Reads a recipe in Markdown like the reference implementation: front matter that resembles YAML, and the first executable fence.

import type { RawRecipe } from './model.js';
import { isObject } from './model.js';
import { type Fence, markdownProblems, splitMarkdown } from './readMarkdown.js';

/** Returns the recipe, or the reason why the content is not a recipe. */
export function readCompatMarkdown(text: string): RawRecipe | string {
  const parts = splitMarkdown(text);
  if (typeof parts === 'string') return parts;
  const fields = readCompatFrontMatter(parts.frontMatter);
  const fence = parts.fences.find(({ info }) => /recipe|template|command|json/i.test(info));
  const body = fence && parseFenceBody(fence);
  if (body) return mergeBody(fields, body.value);
  return fields.template === undefined ? markdownProblems.noFence : fields;
}

/** Returns undefined for an empty fence, and for a JSON fence without valid JSON. */
function parseFenceBody({ info, text }: Fence): { value: unknown } | undefined {
  const mustBeJson = /json|recipe/i.test(info);
  if (text === '') return undefined;
  if (!mustBeJson && !/^[{["]/.test(text)) return { value: text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // SyntaxError: the fence is not JSON, but a command that begins with a brace or a quote.
    return mustBeJson ? undefined : { value: text };
  }
}

function mergeBody(fields: RawRecipe, body: unknown): RawRecipe {
  return isObject(body) && 'template' in body ? { ...fields, ...body } : { ...fields, template: body };
}

// Reads front matter like the reference implementation, whose format is not YAML. Unexpected lines are dropped without a message.

function readCompatFrontMatter(lines: readonly string[]): RawRecipe {
  const { args, defaults, ...others } = readMap(lines, 0);
  return {
    ...others,
    ...(args === undefined ? {} : { args: typeof args === 'string' ? args.split(',').map((part) => part.trim()) : args }),
    ...(defaults === undefined ? {} : { defaults: Array.isArray(defaults) ? readPairs(defaults) : defaults }),
  };
}

function readPairs(items: readonly unknown[]): RawRecipe {
  const pairs = items.map((item) => {
    const [, key = String(item), value = ''] = /^([^:]*):\s*(.*)$/.exec(String(item)) ?? [];
    return [key.trim(), parseScalar(value)];
  });
  return Object.fromEntries(pairs) as RawRecipe;
}

function readMap(lines: readonly string[], indent: number): Record<string, unknown> {
  const map: Record<string, unknown> = {};
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, key, value = ''] = /^ *([^\s:#-][^:]*):\s*(.*)$/.exec(line) ?? [];
    if (key === undefined || countIndent(line) !== indent) continue;
    const block = value === '' ? takeBlock(lines, at, indent) : [];
    map[key.trim()] = block.length > 0 ? readBlock(block, indent + 2) : parseScalar(value);
    at += block.length;
  }
  return map;
}

function takeBlock(lines: readonly string[], at: number, indent: number): string[] {
  const rest = lines.slice(at + 1);
  const isInside = (line: string): boolean => (indent === 0 ? /^\s/.test(line) : countIndent(line) > indent);
  const end = rest.findIndex((line) => line.trim() === '' || !isInside(line));
  return end === -1 ? rest : rest.slice(0, end);
}

function readBlock(lines: readonly string[], indent: number): unknown {
  const items = lines.map((line) => /^ +- +(.*)$/.exec(line)?.[1]);
  return items.every((item) => item !== undefined) ? items.map(parseScalar) : readMap(lines, indent);
}

function countIndent(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

function parseScalar(source: string): unknown {
  const text = source.trim();
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  const quoted = /^"([^"\\]*)"$/.exec(text) ?? /^'([^']*)'$/.exec(text);
  if (quoted) return quoted[1];
  return /^[[{]/.test(text) ? parseInlineJson(text) : text;
}

function parseInlineJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) || isObject(parsed) ? parsed : text;
  } catch {
    // SyntaxError: the value is a plain string.
    return text;
  }
}
