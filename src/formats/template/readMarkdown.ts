// Reads a recipe in Markdown strictly, into a document with positions. Every problem is a finding.

import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { decodeText } from '../../document/decodeText.js';
import type { Finding, Place } from '../../document/finding.js';
import { type Document, type DocumentRead, readDocument } from '../../document/readDocument.js';
import { splitList } from './argDeclarations.js';
import type { RawRecipe } from './model.js';
import { isObject } from './model.js';

const executableWords = ['template', 'command-template', 'command', 'json', 'recipe'];

export function readMarkdown(file: string, bytes: Uint8Array): DocumentRead {
  const { text, failure } = decodeText(bytes);
  const refuse = (code: string, line: number, message: string, hint?: string): DocumentRead => {
    return {
      text,
      findings: [createFinding({ file, line, column: 1 }, { code, message, ...(hint === undefined ? {} : { hint }) })],
    };
  };
  if (failure) return refuse('document.not_utf8', 1, failure.message);
  const parts = splitMarkdown(text);
  if (typeof parts === 'string') {
    return refuse('template.invalid_markdown', 1, `${parts}.`, 'Begin the file with a line "---", the fields, and a line "---".');
  }
  const frontMatter = readFrontMatter(parts.frontMatter.join('\n'));
  const faults = frontMatter.faults.map(({ line, column, message }) =>
    createFinding({ file, line: line + 1, column }, { code: 'template.invalid_front_matter', message }),
  );
  if (faults.length > 0) return { text, findings: faults };
  const fences = parts.fences.filter(({ info }) => executableWords.includes(info.split(/\s/)[0]?.toLowerCase() ?? ''));
  if (fences[1]) {
    const message = `The recipe has ${fences.length} executable fences, at lines ${fences.map(({ line }) => line - 1).join(', ')}.`;
    return refuse(
      'template.two_fences',
      fences[1].line - 1,
      message,
      'Keep one. Mark examples with another word, such as ```text.',
    );
  }
  return combineWithFence({ file, text, frontMatter }, fences[0]);
}

type MarkdownReading = { file: string; text: string; frontMatter: FrontMatter };

function combineWithFence({ file, text, frontMatter }: MarkdownReading, fence: Fence | undefined): DocumentRead {
  const fields = expandShortFields(frontMatter.value);
  const placeInFrontMatter = (pointer: string): Place => {
    const { line, column } = frontMatter.place(splitPointer(pointer));
    return { file, line: line + 1, column };
  };
  if (!fence || fence.text === '') {
    if (fields.template !== undefined)
      return { document: { file, text, value: fields, place: placeInFrontMatter }, text, findings: [] };
    const hint = 'Write the command in a fence: ```template, or a recipe as JSON in ```json.';
    return {
      text,
      findings: [
        createFinding(
          { file, line: fence?.line ?? 1, column: 1 },
          { code: 'template.no_fence', message: `${markdownProblems.noFence}.`, hint },
        ),
      ],
    };
  }
  const body = readFenceBody(file, fence);
  if (!body.document) return { text, findings: body.findings };
  const { value, place } = body.document;
  const isWholeRecipe = isObject(value) && Object.hasOwn(value, 'template');
  const isInFence = (pointer: string): boolean =>
    pointer.startsWith('/template') || (isWholeRecipe && Object.hasOwn(value, splitPointer(pointer)[0] ?? ''));
  const toFencePointer = (pointer: string): string => (isWholeRecipe ? pointer : pointer.slice('/template'.length));
  const recipe = isWholeRecipe ? { ...fields, ...value } : { ...fields, template: value };
  const placeOf: Document['place'] = (pointer, part) =>
    isInFence(pointer) ? place(toFencePointer(pointer), part) : placeInFrontMatter(pointer);
  return { document: { file, text, value: recipe, place: placeOf }, text, findings: [] };
}

/** Parses JSON when the fence is marked as JSON or looks like JSON. Otherwise the content is the command. */
function readFenceBody(file: string, { info, text, line }: Fence): DocumentRead {
  const mustBeJson = /^(json|recipe)\b/i.test(info);
  const shiftPlace = (place: Place): Place => ({ ...place, line: place.line + line - 1 });
  if (mustBeJson || /^[{["]/.test(text)) {
    const { document, findings } = readDocument(file, Buffer.from(text));
    if (document)
      return { document: { ...document, place: (pointer, part) => shiftPlace(document.place(pointer, part)) }, text, findings };
    if (mustBeJson) return { text, findings: findings.map((finding) => ({ ...finding, place: shiftPlace(finding.place) })) };
  }
  return { document: { file, text, value: text, place: () => ({ file, line, column: 1 }) }, text, findings: [] };
}

// Front matter allows a short form of `args` and `defaults`.
function expandShortFields({ args, defaults, ...others }: RawRecipe): RawRecipe {
  return {
    ...others,
    ...(args === undefined ? {} : { args: typeof args === 'string' ? splitList(args) : args }),
    ...(defaults === undefined
      ? {}
      : { defaults: Array.isArray(defaults) ? Object.assign({}, ...defaults.map(readDefault)) : defaults }),
  };
}

function readDefault(item: unknown): RawRecipe {
  if (isObject(item)) return item;
  const [, key = String(item), value = ''] = /^([^:]*):\s*(.*)$/s.exec(String(item)) ?? [];
  return { [key.trim()]: value };
}

function splitPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function createFinding(place: Place, problem: Pick<Finding, 'code' | 'message' | 'hint'>): Finding {
  return { severity: 'error', path: '', place, ...problem };
}

export type Fence = { info: string; text: string; line: number };
export type MarkdownParts = { frontMatter: string[]; fences: Fence[] };
export const markdownProblems = {
  noMatter: 'Markdown recipe must start with frontmatter',
  openMatter: 'Markdown recipe frontmatter must be closed',
  noFence: 'Markdown recipe has no executable recipe/template fence',
} as const;

function findFences(lines: readonly string[], from: number): Fence[] {
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

export function splitMarkdown(text: string): MarkdownParts | string {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trim() !== '---') return markdownProblems.noMatter;
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === '---');
  if (end === -1) return markdownProblems.openMatter;
  return { frontMatter: lines.slice(1, end), fences: findFences(lines, end + 1) };
}

// Reads front matter as YAML. A value that a recipe cannot represent is an error, so that no part of the document is lost.

/** `line` and `column` are relative to the first line of the front matter. */
type FrontMatterFault = { line: number; column: number; message: string };

type FrontMatter = {
  value: RawRecipe;
  faults: FrontMatterFault[];
  /** Returns the position of the key at a pointer. */
  place(keys: readonly string[]): { line: number; column: number };
};

function readFrontMatter(text: string): FrontMatter {
  const { LineCounter, parseDocument } = loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { version: '1.2', schema: 'core', lineCounter: lines, prettyErrors: false });
  const toPosition = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  // The parser warns about parts that it ignores, such as tags. These parts would be lost, so a warning is an error.
  const yamlProblems = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    offset: pos[0],
    message: `${message}.`,
  }));
  const problems = yamlProblems.length > 0 ? yamlProblems : findLosses(document);
  const faults = problems.map(({ offset, message }) => ({ ...toPosition(offset), message }));
  // Invalid front matter is not converted, because a few aliases can expand to a huge value.
  if (faults.length > 0) return { value: {}, faults, place: () => ({ line: 1, column: 1 }) };
  const value: unknown = document.contents === null ? {} : document.toJS();
  if (!isObject(value)) faults.push({ line: 1, column: 1, message: 'The front matter must be a map of names to values.' });
  const place = (keys: readonly string[]) => toPosition(findKeyOffset(document.contents, keys));
  return { value: isObject(value) ? value : {}, faults, place };
}

// Loads yaml with the first recipe in Markdown, because loading it slows down the start.
let yamlModule: typeof Yaml | undefined;

function loadYaml(): typeof Yaml {
  yamlModule ??= createRequire(import.meta.url)('yaml') as typeof Yaml;
  return yamlModule;
}

type Loss = { offset: number; message: string };

function findLosses(document: Yaml.Document.Parsed): Loss[] {
  const losses: Loss[] = [];
  loadYaml().visit(document, {
    Scalar: (_, { value, range, source }) => {
      const message = describeLoss(value, source);
      if (message !== undefined) losses.push({ offset: range?.[0] ?? 0, message });
    },
    Alias: (_, { source, range }) => {
      const message = `*${source} is a YAML alias, which a recipe does not support. Write the value itself.`;
      losses.push({ offset: range?.[0] ?? 0, message });
    },
  });
  return losses;
}

function describeLoss(value: unknown, source: string | undefined): string | undefined {
  if (value === '__proto__') return '"__proto__" is not allowed in the front matter. Use another name.';
  if (typeof value !== 'number' || (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))))
    return undefined;
  return `JavaScript cannot represent the number ${source ?? value} exactly. Put the number in quotes.`;
}

function findKeyOffset(contents: Yaml.ParsedNode | null, keys: readonly string[]): number {
  const { isMap, isScalar } = loadYaml();
  let offset = 0;
  let node: Yaml.Node | null = contents;
  for (const key of keys) {
    if (!isMap(node)) break;
    const pair = node.items.find(({ key: itemKey }) => isScalar(itemKey) && String(itemKey.value) === key);
    if (!pair || !isScalar(pair.key)) break;
    offset = pair.key.range?.[0] ?? offset;
    node = pair.value as Yaml.Node | null;
  }
  return offset;
}
