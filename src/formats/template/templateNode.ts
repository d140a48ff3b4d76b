// The nodes of a command template: a command, a sequence, side by side, or a node around another one.
import type { Declared } from './declarations.js';
import type { Layer } from './templateValues.js';

export type TemplateValue = string | readonly TemplateValue[] | TemplateNode;

export type TemplateNode = {
  label?: unknown;
  parallel?: unknown;
  when?: unknown;
  template?: unknown;
  args?: Declared;
  defaults?: Layer;
  /** Set for an imported recipe by the one that imports it. */
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

/** The fields that a recipe may write beside its template instead of inside of it. */
export const nodeFields = [
  ...['args', 'defaults', 'parallel', 'label', 'when', 'timeout', 'delay', 'output', 'retry', 'failure', 'recover', 'repeat'],
  ...['concurrency', 'min_successful'],
] as const;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text is a node with nothing but its command; anything that is no node has no command either. */
export function toNode(value: unknown): TemplateNode {
  if (typeof value === 'string') return { template: value };
  return isObject(value) ? value : {};
}

/** The root may be a list, which stands for a sequence. */
export function toRoot(value: unknown): TemplateNode {
  return Array.isArray(value) ? { template: value } : toNode(value);
}

/** What it is called in reports: its own label, else its place among its neighbours. */
export function labelOf(node: TemplateNode, index: number): string {
  return typeof node.label === 'string' && node.label !== '' ? node.label : `branch ${index + 1}`;
}

/** Whether anything in it can be run: what a recipe needs to be one. */
export function isExecutable(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (Array.isArray(value)) return value.length > 0 && value.every((step) => !Array.isArray(step) && isExecutable(step));
  if (!isObject(value)) return false;
  return typeof value.name === 'string' && value.template === undefined ? true : isExecutable(value.template);
}
