// A node of a command template, and all below it, as nodes of Recipe v1.
import type { Assertion } from '../../recipe/recipe.js';
import { compileGroup } from './compileGroup.js';
import { compileLeaf } from './compileLeaf.js';
import { compileWhen } from './compileWhen.js';
import { failureScope, retryOf } from './controls.js';
import type { Declared } from './declarations.js';
import { importPath, markImport } from './expandImports.js';
import { mergeDefaults } from './inheritDefaults.js';
import { recoverNode } from './openNode.js';
import type { ContextRecord } from './recipeContext.js';
import { TemplateError } from './templateError.js';
import { isObject, type TemplateNode, toNode } from './templateNode.js';
import { fixValues, honestValues, type Layer } from './templateValues.js';

export type NodeJson = { action: string; intent: string; rw?: Record<string, unknown>; when?: Assertion } & Record<
  string,
  unknown
>;

/** `index` is missing where it is known from the run: the item of an `rw.each`. */
export type Round = { index?: number; repeat: number | string };

export type Around = {
  defaults: Layer;
  fixed?: Layer | undefined;
  args?: Declared;
  round?: Round | undefined;
  /** What groups around it wait for before they begin. */
  delays: readonly unknown[];
  /** Where in the recipe it was written, and where its own template stands. */
  pointer: string;
  inner: string;
  /** The aliases that lead to the recipe it was written in. */
  aliases: readonly string[];
  /** It is tried again as a whole when it fails. */
  isTried?: boolean;
  /** Whoever marked it last said that failures in it may be passed over. */
  isForgiven: boolean;
  build: Build;
};

/** What is gathered on the way down. */
export type Build = {
  /** Lists whose length is needed before they are run over. */
  lists: Set<string>;
  /** What becomes of a failure that its author says nothing about. */
  unmarked: 'note' | 'continue';
  /** Of a recipe that runs by itself: itself and what it imports, for programs that ask a language model. */
  context?: (() => readonly ContextRecord[]) | undefined;
  /** Where compiled nodes were written. */
  authored: Map<NodeJson, string>;
};

export function compileNode(given: TemplateNode, around: Around): NodeJson {
  const node = unwrapped(given);
  const inside: Around = {
    ...around,
    isTried: node.retry !== undefined && node.repeat === undefined,
    defaults: mergeDefaults(node.defaults, around.defaults),
    fixed: fixValues(node.values, around.fixed),
    args: node.args ?? around.args,
    aliases: [...around.aliases, ...importPath(node)],
    isForgiven: node.failure === undefined ? around.isForgiven : node.failure === 'continue',
  };
  failureScope(node.failure);
  refuseUnsaid(node, inside);
  const when = compileWhen(node.when, inside);
  if (typeof when === 'string') throw refused('template.unsupported_when', `${when}.`, around);
  const made = compileTried(node, inside);
  if (when) made.when = when;
  around.build.authored.set(made, around.pointer);
  return made;
}

// What is set on a node around another one counts for that one.
function unwrapped(node: TemplateNode): TemplateNode {
  const { template, ...outer } = node;
  if (!isObject(template)) return node;
  const inner = toNode(template);
  const isTwice = (['retry', 'repeat', 'delay', 'when'] as const).some(
    (field) => outer[field] !== undefined && inner[field] !== undefined,
  );
  if (isTwice) return markImport({ ...outer, template: [template] }, importPath(node));
  const values = fixValues(inner.values, outer.values);
  const defaults = mergeDefaults(inner.defaults, outer.defaults ?? {});
  const merged = { ...outer, ...inner, defaults, ...(values ? { values } : {}) };
  return unwrapped(markImport(merged, [...importPath(node), ...importPath(inner)]));
}

function compileTried(node: TemplateNode, around: Around): NodeJson {
  const { retry, recover, ...once } = node;
  if (retry === undefined) return compileOnce(once, around);
  // Each round is tried by itself.
  if (node.repeat !== undefined) return compileOnce(node, around);
  const max = retryOf(retry, honestValues({ ...around, given: {}, loop: undefined }));
  const made = compileOnce(once, around);
  const repair = recover === undefined ? undefined : compileRecover(recover, around);
  made.rw = { ...made.rw, retry: { max, ...(repair ? { recover: repair } : {}) } };
  return made;
}

function compileRecover(recover: unknown, around: Around): NodeJson {
  const pointer = `${around.pointer}/recover`;
  return compileNode(recoverNode(recover), {
    ...around,
    pointer,
    aliases: [...around.aliases, ...importPath(recover)],
    inner: Array.isArray(recover) ? pointer : `${pointer}/template`,
  });
}

function compileOnce(node: TemplateNode, around: Around): NodeJson {
  const isGroup = node.repeat !== undefined || Array.isArray(node.template);
  return isGroup ? compileGroup(node, around) : compileLeaf(node, around);
}

/** What a compiled recipe cannot say is refused: it would be a recipe of another meaning. */
function refuseUnsaid(node: TemplateNode, around: Around): void {
  const isGroup = Array.isArray(node.template) || node.repeat !== undefined;
  const counted = [
    'retry',
    'concurrency',
    'min_successful',
    ...(isGroup && node.repeat === undefined ? ['timeout'] : []),
  ] as const;
  const symbolic = counted.find((field) => String(node[field as 'retry'] ?? '').includes('{'));
  if (symbolic === undefined) return;
  const message = `"${symbolic}" of a node cannot be compiled when it is a value. Write a number, or run it with runTemplate() of recipewright/template.`;
  throw refused('template.unsupported_field', message, around);
}

export function refused(code: string, message: string, { pointer }: Pick<Around, 'pointer'>): TemplateError {
  return new TemplateError(code, message, { pointer: pointer.split('/').slice(1) });
}
