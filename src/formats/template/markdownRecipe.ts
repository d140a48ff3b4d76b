// A recipe in Markdown, read as the reference reads it: front matter that looks like YAML, and the first fence that is executable.
import { readLooseFrontMatter } from './looseFrontMatter.js';
import { isObject } from './templateNode.js';
import type { Raw } from './templateRecipe.js';

export type Fence = { info: string; text: string; line: number };

export type MarkdownParts = { matter: string[]; fences: Fence[] };

export const problems = {
  noMatter: 'Markdown recipe must start with frontmatter',
  openMatter: 'Markdown recipe frontmatter must be closed',
  noFence: 'Markdown recipe has no executable recipe/template fence',
} as const;

export function splitMarkdown(text: string): MarkdownParts | string {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trim() !== '---') return problems.noMatter;
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === '---');
  if (end === -1) return problems.openMatter;
  return { matter: lines.slice(1, end), fences: fencesIn(lines, end + 1) };
}

function fencesIn(lines: readonly string[], from: number): Fence[] {
  const fences: Fence[] = [];
  for (let at = from; at < lines.length; at++) {
    const [, ticks, info = ''] = /^\s*(`{3,})(.*)$/.exec(lines[at] ?? '') ?? [];
    if (ticks === undefined) continue;
    const close = lines.findIndex((line, index) => index > at && line.trim().startsWith(ticks) && /^`+$/.test(line.trim()));
    const end = close === -1 ? lines.length : close;
    fences.push({
      info: info.trim(),
      text: lines
        .slice(at + 1, end)
        .join('\n')
        .trim(),
      line: at + 2,
    });
    at = end;
  }
  return fences;
}

/** The recipe, or why it is none. */
export function readLooseMarkdown(text: string): Raw | string {
  const parts = splitMarkdown(text);
  if (typeof parts === 'string') return parts;
  const matter = readLooseFrontMatter(parts.matter);
  const fence = parts.fences.find(({ info }) => /recipe|template|command|json/i.test(info));
  const body = fence && bodyOf(fence);
  if (body) return withBody(matter, body.value);
  return matter.template === undefined ? problems.noFence : matter;
}

/** Undefined for a fence that holds nothing, or holds no JSON although it should. */
export function bodyOf({ info, text }: Fence): { value: unknown } | undefined {
  const mustBeJson = /json|recipe/i.test(info);
  if (text === '') return undefined;
  if (!mustBeJson && !/^[{["]/.test(text)) return { value: text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // SyntaxError: a command may begin with a brace or a quote too.
    return mustBeJson ? undefined : { value: text };
  }
}

export function withBody(matter: Raw, body: unknown): Raw {
  return isObject(body) && 'template' in body ? { ...matter, ...body } : { ...matter, template: body };
}
