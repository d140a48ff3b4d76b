// The model of a template recipe: one command template and its metadata.
import { type ArgDeclarations, isInteger } from './argDeclarations.js';
import type { Layer } from './templateValues.js';

export type ImportBinding = string | { from: string; defaults?: Layer; values?: Layer };

type MailboxEntry = string | ({ type: string } & Readonly<Record<string, unknown>>);

export type Mailbox = { accepts?: MailboxEntry[]; emits?: MailboxEntry[] };

export type TemplateRecipe = {
  /** The name of its file without the extension. A `name` in the file does not count. */
  name: string;
  description?: string;
  async?: boolean;
  disabled?: boolean;
  imports?: Readonly<Record<string, ImportBinding>>;
  template: unknown;
  values?: Layer;
  /** In order of importance. */
  artifacts?: Readonly<Record<string, string>>;
  mailbox?: Mailbox;
  retire_when?: 'children_terminal';
  actor_context?: false | 'off';
  usage?: Layer;
} & Partial<Record<(typeof nodeFields)[number], unknown>>;

export type RawRecipe = Readonly<Record<string, unknown>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isNumberLike = (value: unknown): boolean => typeof value === 'number' || typeof value === 'string';

/** A field of another type is left out of the recipe, though the template still gets it. */
const fieldChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  description: isText,
  async: isFlag,
  disabled: isFlag,
  args: Array.isArray,
  defaults: isObject,
  values: isObject,
  parallel: isFlag,
  label: isText,
  when: (value) => isText(value) || isFlag(value),
  output: isText,
  usage: isObject,
  timeout: isNumberLike,
  delay: isNumberLike,
  retry: isNumberLike,
  recover: (value) => value !== null,
  failure: isText,
  repeat: isInteger,
  concurrency: isNumberLike,
  min_successful: isNumberLike,
  retire_when: (value) => value === 'children_terminal',
  actor_context: (value) => value === false || value === 'off',
};

/** `template`: with the fields around it folded in, and with its imports in place. */
export function toTemplateRecipe(
  name: string,
  raw: RawRecipe,
  parts: { template: unknown; imports?: object | undefined },
): TemplateRecipe {
  const validFields = Object.entries(fieldChecks).flatMap(([field, fits]) => {
    const value = raw[field];
    const isValid = value !== undefined && fits(value) && !(field === 'repeat' && typeof value !== 'number');
    return isValid ? [[field, value]] : [];
  });
  const artifacts = readArtifactPaths(raw.artifacts);
  const mailbox = readMailbox(raw.mailbox);
  return {
    name,
    ...(Object.fromEntries(validFields) as object),
    template: parts.template,
    ...(parts.imports ? { imports: parts.imports as Record<string, ImportBinding> } : {}),
    ...(artifacts ? { artifacts } : {}),
    ...(mailbox ? { mailbox } : {}),
  };
}

function readArtifactPaths(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Advisory: it names messages, and nothing routes by it. */
function readMailbox(value: unknown): Mailbox | undefined {
  if (!isObject(value)) return undefined;
  const { accepts, emits } = value;
  return {
    ...(Array.isArray(accepts) ? { accepts: accepts.filter(isMailboxEntry) } : {}),
    ...(Array.isArray(emits) ? { emits: emits.filter(isMailboxEntry) } : {}),
  };
}

function isMailboxEntry(value: unknown): value is MailboxEntry {
  return typeof value === 'string' || (isObject(value) && typeof value.type === 'string');
}

/** Moves the fields beside the template into it. Where both have a field, that of the template counts. */
export function foldEnvelope(raw: RawRecipe, { compat }: { compat: boolean }): unknown {
  const { template } = raw;
  const envelope = Object.fromEntries(nodeFields.flatMap((field) => (raw[field] === undefined ? [] : [[field, raw[field]]])));
  if (Object.keys(envelope).length === 0) return template;
  if (!isObject(template)) return { ...envelope, template };
  const mergesDefaults = !compat && isObject(raw.defaults) && isObject(template.defaults);
  return {
    ...envelope,
    ...template,
    ...(mergesDefaults ? { defaults: { ...(raw.defaults as object), ...(template.defaults as object) } } : {}),
  };
}

// The nodes of a command template: a command, a sequence, branches side by side, or a node around another one.

export type TemplateNode = {
  label?: unknown;
  parallel?: unknown;
  when?: unknown;
  template?: unknown;
  args?: ArgDeclarations;
  defaults?: Layer;
  /** Values that a recipe sets for one that it imports. */
  values?: Layer;
  timeout?: unknown;
  delay?: unknown;
  output?: unknown;
  retry?: unknown;
  failure?: unknown;
  recover?: unknown;
  repeat?: unknown;
  /** How many branches of a parallel node run at a time. */
  concurrency?: unknown;
  /** How many branches of a parallel node must succeed for it to succeed. */
  min_successful?: unknown;
};

/** The fields that a recipe may write beside its template instead of inside it. */
const nodeFields = [
  'args',
  'defaults',
  'parallel',
  'label',
  'when',
  'timeout',
  'delay',
  'output',
  'retry',
  'failure',
  'recover',
  'repeat',
  'concurrency',
  'min_successful',
] as const;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text is a node with only a command. Anything else that is not an object is a node without one. */
export function toNode(value: unknown): TemplateNode {
  if (typeof value === 'string') return { template: value };
  return isObject(value) ? value : {};
}

/** The root may be a list, which stands for a sequence. */
export function toRootNode(value: unknown): TemplateNode {
  return Array.isArray(value) ? { template: value } : toNode(value);
}

/** The name of a branch in reports: its label, or its number. */
export function getBranchLabel(node: TemplateNode, index: number): string {
  return typeof node.label === 'string' && node.label !== '' ? node.label : `branch ${index + 1}`;
}

/** Whether there is anything to run, without which a file is not a recipe. */
export function isExecutable(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (Array.isArray(value)) return value.length > 0 && value.every((step) => !Array.isArray(step) && isExecutable(step));
  if (!isObject(value)) return false;
  return typeof value.name === 'string' && value.template === undefined ? true : isExecutable(value.template);
}
