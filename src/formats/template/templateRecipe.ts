// A template recipe: one command template with what its author says about it.
import { isInteger } from './declarations.js';
import { isObject, nodeFields } from './templateNode.js';
import type { Layer } from './templateValues.js';

export type ImportBinding = string | { from: string; defaults?: Layer; values?: Layer };

export type MailboxEntry = string | ({ type: string } & Readonly<Record<string, unknown>>);

export type Mailbox = { accepts?: MailboxEntry[]; emits?: MailboxEntry[] };

export type TemplateRecipe = {
  /** The name of its file without the ending; a `name` in the file does not count. */
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

export type Raw = Readonly<Record<string, unknown>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isNumberLike = (value: unknown): boolean => typeof value === 'number' || typeof value === 'string';

/** What is of another kind is left out of the recipe's own fields, though the template still gets it. */
const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...{ description: isText, async: isFlag, disabled: isFlag, args: Array.isArray, defaults: isObject, values: isObject },
  ...{ parallel: isFlag, label: isText, when: (value) => isText(value) || isFlag(value), output: isText, usage: isObject },
  ...{ timeout: isNumberLike, delay: isNumberLike, retry: isNumberLike, recover: (value) => value !== null },
  ...{ failure: isText, repeat: isInteger, concurrency: isNumberLike, min_successful: isNumberLike },
  ...{ retire_when: (value) => value === 'children_terminal', actor_context: (value) => value === false || value === 'off' },
};

/** `template`: with everything written around it folded in, and with its imports in place. */
export function toTemplateRecipe(
  name: string,
  raw: Raw,
  parts: { template: unknown; imports?: object | undefined },
): TemplateRecipe {
  const kept = Object.entries(kinds).flatMap(([field, fits]) => {
    const value = raw[field];
    const isWanted = value !== undefined && fits(value) && !(field === 'repeat' && typeof value !== 'number');
    return isWanted ? [[field, value]] : [];
  });
  const artifacts = artifactsOf(raw.artifacts);
  const mailbox = mailboxOf(raw.mailbox);
  return {
    ...{ name, ...(Object.fromEntries(kept) as object), template: parts.template },
    ...(parts.imports ? { imports: parts.imports as Record<string, ImportBinding> } : {}),
    ...(artifacts ? { artifacts } : {}),
    ...(mailbox ? { mailbox } : {}),
  };
}

function artifactsOf(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Advisory: it names messages and routes none. */
function mailboxOf(value: unknown): Mailbox | undefined {
  if (!isObject(value)) return undefined;
  const { accepts, emits } = value;
  return {
    ...(Array.isArray(accepts) ? { accepts: accepts.filter(isEntry) } : {}),
    ...(Array.isArray(emits) ? { emits: emits.filter(isEntry) } : {}),
  };
}

function isEntry(value: unknown): value is MailboxEntry {
  return typeof value === 'string' || (isObject(value) && typeof value.type === 'string');
}

/** What may stand beside the template belongs to it. What both say, the template says. */
export function foldEnvelope(raw: Raw, { compat }: { compat: boolean }): unknown {
  const { template } = raw;
  const around = Object.fromEntries(nodeFields.flatMap((field) => (raw[field] === undefined ? [] : [[field, raw[field]]])));
  if (Object.keys(around).length === 0) return template;
  if (!isObject(template)) return { ...around, template };
  const both = !compat && isObject(raw.defaults) && isObject(template.defaults);
  return {
    ...around,
    ...template,
    ...(both ? { defaults: { ...(raw.defaults as object), ...(template.defaults as object) } } : {}),
  };
}
