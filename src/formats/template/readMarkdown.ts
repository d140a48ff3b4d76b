// A recipe in Markdown to a document with places, as JSON is read: strictly, and with everything that is wrong told.
import { decodeText } from '../../document/decodeText.js';
import type { Finding, Place } from '../../document/finding.js';
import { type Document, type DocumentRead, readDocument } from '../../document/readDocument.js';
import { splitList } from './declarations.js';
import { type FrontMatter, readFrontMatter } from './frontMatter.js';
import { type Fence, problems, splitMarkdown } from './markdownRecipe.js';
import { isObject } from './templateNode.js';
import type { Raw } from './templateRecipe.js';

const executable = ['template', 'command-template', 'command', 'json', 'recipe'];

export function readMarkdown(file: string, bytes: Uint8Array): DocumentRead {
  const { text, refused } = decodeText(bytes);
  const refuse = (code: string, line: number, message: string, hint?: string): DocumentRead => {
    return { text, findings: [findingAt({ file, line, column: 1 }, { code, message, ...(hint === undefined ? {} : { hint }) })] };
  };
  if (refused) return refuse('document.not_utf8', 1, refused.message);
  const parts = splitMarkdown(text);
  if (typeof parts === 'string') {
    return refuse('template.invalid_markdown', 1, `${parts}.`, 'Begin the file with a line "---", the fields, and a line "---".');
  }
  const matter = readFrontMatter(parts.matter.join('\n'));
  const faults = matter.faults.map(({ line, column, message }) =>
    findingAt({ file, line: line + 1, column }, { code: 'template.invalid_front_matter', message }),
  );
  if (faults.length > 0) return { text, findings: faults };
  const fences = parts.fences.filter(({ info }) => executable.includes(info.split(/\s/)[0]?.toLowerCase() ?? ''));
  if (fences[1]) {
    const message = `The recipe has ${fences.length} fences that could be run, at lines ${fences.map(({ line }) => line - 1).join(', ')}.`;
    return refuse('template.two_fences', fences[1].line - 1, message, 'Mark examples with another word, such as ```text.');
  }
  return withFence({ file, text, matter }, fences[0]);
}

type Reading = { file: string; text: string; matter: FrontMatter };

function withFence({ file, text, matter }: Reading, fence: Fence | undefined): DocumentRead {
  const fields = normalise(matter.value);
  const inMatter = (pointer: string): Place => {
    const { line, column } = matter.place(keysOf(pointer));
    return { file, line: line + 1, column };
  };
  if (!fence || fence.text === '') {
    if (fields.template !== undefined) return { document: { file, text, value: fields, place: inMatter }, text, findings: [] };
    const hint = 'Write the command in a fence: ```template, or a recipe as JSON in ```json.';
    return {
      text,
      findings: [
        findingAt(
          { file, line: fence?.line ?? 1, column: 1 },
          { code: 'template.no_fence', message: `${problems.noFence}.`, hint },
        ),
      ],
    };
  }
  const body = readBody(file, fence);
  if (!body.document) return { text, findings: body.findings };
  const { value, place } = body.document;
  const isWhole = isObject(value) && Object.hasOwn(value, 'template');
  const owns = (pointer: string): boolean =>
    pointer.startsWith('/template') || (isWhole && Object.hasOwn(value, keysOf(pointer)[0] ?? ''));
  const within = (pointer: string): string => (isWhole ? pointer : pointer.slice('/template'.length));
  const whole = isWhole ? { ...fields, ...value } : { ...fields, template: value };
  const placeOf: Document['place'] = (pointer, part) => (owns(pointer) ? place(within(pointer), part) : inMatter(pointer));
  return { document: { file, text, value: whole, place: placeOf }, text, findings: [] };
}

/** JSON where the fence says so or the text looks like it; else the text is the command. */
function readBody(file: string, { info, text, line }: Fence): DocumentRead {
  const mustBeJson = /^(json|recipe)\b/i.test(info);
  const moved = (place: Place): Place => ({ ...place, line: place.line + line - 1 });
  if (mustBeJson || /^[{["]/.test(text)) {
    const { document, findings } = readDocument(file, Buffer.from(text));
    if (document)
      return { document: { ...document, place: (pointer, part) => moved(document.place(pointer, part)) }, text, findings };
    if (mustBeJson) return { text, findings: findings.map((finding) => ({ ...finding, place: moved(finding.place) })) };
  }
  return { document: { file, text, value: text, place: () => ({ file, line, column: 1 }) }, text, findings: [] };
}

// Two fields may be written the short way in Markdown.
function normalise({ args, defaults, ...others }: Raw): Raw {
  return {
    ...others,
    ...(args === undefined ? {} : { args: typeof args === 'string' ? splitList(args) : args }),
    ...(defaults === undefined
      ? {}
      : { defaults: Array.isArray(defaults) ? Object.assign({}, ...defaults.map(pairOf)) : defaults }),
  };
}

function pairOf(item: unknown): Raw {
  if (isObject(item)) return item;
  const [, key = String(item), value = ''] = /^([^:]*):\s*(.*)$/s.exec(String(item)) ?? [];
  return { [key.trim()]: value };
}

function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function findingAt(place: Place, told: Pick<Finding, 'code' | 'message' | 'hint'>): Finding {
  return { severity: 'error', path: '', place, ...told };
}
