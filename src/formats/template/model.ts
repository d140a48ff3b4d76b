// The model of a template recipe: one command template and its metadata.
import { type ArgDeclarations, isInteger } from './argDeclarations.js';
import type { Layer } from './templateValues.js';

export type ImportBinding = string | { from: string; defaults?: Layer; values?: Layer };

type MailboxEntry = string | ({ type: string } & Readonly<Record<string, unknown>>);

export type Mailbox = { accepts?: MailboxEntry[]; emits?: MailboxEntry[] };

export type TemplateRecipe = {
  /** The file name without the ending. A `name` field in the file is ignored. */
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

const isString = (value: unknown): boolean => typeof value === 'string';
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isNumberLike = (value: unknown): boolean => typeof value === 'number' || typeof value === 'string';

/** A field with another type is dropped from the recipe. The template still keeps the field. */
const fieldChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  description: isString,
  async: isBoolean,
  disabled: isBoolean,
  args: Array.isArray,
  defaults: isObject,
  values: isObject,
  parallel: isBoolean,
  label: isString,
  when: (value) => isString(value) || isBoolean(value),
  output: isString,
  usage: isObject,
  timeout: isNumberLike,
  delay: isNumberLike,
  retry: isNumberLike,
  recover: (value) => value !== null,
  failure: isString,
  repeat: isInteger,
  concurrency: isNumberLike,
  min_successful: isNumberLike,
  retire_when: (value) => value === 'children_terminal',
  actor_context: (value) => value === false || value === 'off',
};

/** Builds a recipe from its fields. `template` is the result of foldEnvelope() and expandImports(). */
export function toTemplateRecipe(
  name: string,
  raw: RawRecipe,
  parts: { template: unknown; imports?: object | undefined },
): TemplateRecipe {
  const validFields = Object.entries(fieldChecks).flatMap(([field, hasValidType]) => {
    const value = raw[field];
    const isValid = value !== undefined && hasValidType(value) && !(field === 'repeat' && typeof value !== 'number');
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

/** The mailbox only documents messages. No message is routed by it. */
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

/**
 * Moves the fields of the recipe that belong to a node into the template. When both have a field, the field of the template
 * counts.
 */
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

/** A node of a command template: a command, a sequence, parallel branches, or a node whose template is another node. */
export type TemplateNode = {
  label?: unknown;
  parallel?: unknown;
  when?: unknown;
  template?: unknown;
  args?: ArgDeclarations;
  defaults?: Layer;
  /** Values that a recipe sets for a recipe that it imports. */
  values?: Layer;
  timeout?: unknown;
  delay?: unknown;
  output?: unknown;
  retry?: unknown;
  failure?: unknown;
  recover?: unknown;
  repeat?: unknown;
  /** How many branches of a parallel node run at the same time. */
  concurrency?: unknown;
  /** How many branches must succeed, so that the parallel node succeeds. */
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

/** Converts a string to a node with this command. Any other value that is not an object becomes an empty node. */
export function toNode(value: unknown): TemplateNode {
  if (typeof value === 'string') return { template: value };
  return isObject(value) ? value : {};
}

/** Like `toNode`, but the root may also be a list, which is a sequence. */
export function toRootNode(value: unknown): TemplateNode {
  return Array.isArray(value) ? { template: value } : toNode(value);
}

/** Returns the name of a branch in reports: its label, or its number. */
export function getBranchLabel(node: TemplateNode, index: number): string {
  return typeof node.label === 'string' && node.label !== '' ? node.label : `branch ${index + 1}`;
}

/** Whether the template has a command to run. A file without one is not a recipe. */
export function isExecutable(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (Array.isArray(value)) return value.length > 0 && value.every((step) => !Array.isArray(step) && isExecutable(step));
  if (!isObject(value)) return false;
  return typeof value.name === 'string' && value.template === undefined ? true : isExecutable(value.template);
}
