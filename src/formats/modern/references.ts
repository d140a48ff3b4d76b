// `{{params.a.b}}` and `{{outputs.node.items[0]}}`, the two references of modern recipes.
import { didYouMean } from '../../document/didYouMean.js';
import { canRunBefore, choosePartIds, hasTeardown } from './graph.js';
import { findCallee, readParams, type TranslationContext } from './translationContext.js';

export type Reference = { root: 'params' | 'outputs'; keys: readonly string[] };

const referenceBody = String.raw`\s*(params|outputs)((?:\.[\w-]+|\[\d+\])+)\s*`;
const referencePattern = new RegExp(String.raw`\{\{${referenceBody}\}\}`, 'g');
const wholePattern = new RegExp(String.raw`^\{\{${referenceBody}\}\}$`);
/** What the engine takes for a reference, or an author may have meant as one. */
const suspectPattern = /\{\{\s*(?:[A-Za-z_][\w-]*(?:\.[\w-]+)*\s*\}\}|(?:params|outputs)[.[][^}]*\}?\}?)/g;
/** Names that never are a value's own. */
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** The reference that a text is, and nothing beside it. */
export function parseReference(text: unknown): Reference | undefined {
  const [, root, path] = (typeof text === 'string' && wholePattern.exec(text)) || [];
  return root === undefined || path === undefined ? undefined : toReference(root, path);
}

export function findReferences(text: string): Reference[] {
  return [...text.matchAll(referencePattern)].map(([, root = '', path = '']) => toReference(root, path));
}

function replaceReferences(text: string, format: (reference: Reference) => string): string {
  return text.replace(referencePattern, (_, root: string, path: string) => format(toReference(root, path)));
}

/** What looks like a reference and is none that a modern recipe has. */
export function findInvalidReferences(text: string): string[] {
  const isValid = (written: string): boolean => {
    const reference = parseReference(written);
    return reference !== undefined && !reference.keys.some((key) => refusedKeys.has(key));
  };
  return [...text.matchAll(suspectPattern)].map(([written]) => written).filter((written) => !isValid(written));
}

/** As the engine spells it: `[0]` is `.0`. */
export function formatReference(root: string, keys: readonly string[]): string {
  return `{{${[root, ...keys].join('.')}}}`;
}

/** As a path into one value: `$.items[0]`. */
export function toPath(keys: readonly string[]): string {
  return `$${keys.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join('')}`;
}

function toReference(root: string, path: string): Reference {
  return { root: root as Reference['root'], keys: path.split(/[.[\]]+/).filter((key) => key !== '') };
}

// Every text of a node with its references in the spelling of the classic recipe.

/** Where a text stands, and the node that reads it, if one does. */
type TextLocation = { keys: readonly string[]; node?: string };

export function translateTexts(context: TranslationContext, value: unknown, location: TextLocation): unknown {
  const inner = (item: unknown, key: string | number): unknown =>
    translateTexts(context, item, { ...location, keys: [...location.keys, String(key)] });
  if (typeof value === 'string') return translateText(context, value, location);
  if (Array.isArray(value)) return value.map(inner);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item, key)]));
}

export function readsOutputs(value: unknown): boolean {
  if (typeof value === 'string') return findReferences(value).some(({ root }) => root === 'outputs');
  return typeof value === 'object' && value !== null && Object.values(value).some(readsOutputs);
}

/** The params of its own recipe that a value reads, by their first key. */
export function findParams(value: unknown): string[] {
  if (typeof value === 'string')
    return findReferences(value).flatMap(({ root, keys: [name = ''] }) => (root === 'params' ? [name] : []));
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findParams) : [];
}

/**
 * The path from the outputs that a node sees to the value it means. What a called recipe with a clean-up of its own gives
 * lies one call deeper, and so does, for that clean-up, what the recipe itself gave.
 */
export function resolveOutputKeys(context: TranslationContext, keys: readonly string[], reader = ''): string[] {
  const { graph } = context.recipe;
  const [node = '', ...path] = resolveCallKeys(context, keys);
  const isInTeardown = context.params === 'params' && graph.teardown?.ids.has(reader) && graph.main.has(node);
  return isInTeardown ? [choosePartIds(graph).main, 'outputs', node, ...path] : [node, ...path];
}

function resolveCallKeys(context: TranslationContext, [node = '', ...path]: readonly string[]): string[] {
  const callee = findCallee(context, node)?.graph;
  const [first, inner] = path;
  if (!callee || !hasTeardown(callee) || first !== 'outputs' || inner === undefined) return [node, ...path];
  const { main, teardown } = choosePartIds(callee);
  return [node, 'outputs', callee.main.has(inner) ? main : teardown, ...path];
}

export function checkReference(context: TranslationContext, { root, keys }: Reference, location: TextLocation): void {
  const [name = ''] = keys;
  const known = root === 'params' ? [...readParams(context.recipe).keys()] : [...context.recipe.graph.nodes.keys()];
  const report = (why: string, hint: string): void => {
    context.recipe.report({
      code: 'template.unresolved_reference',
      at: location.keys,
      message: `${formatReference(root, keys)} ${why}`,
      hint,
    });
  };
  if (root === 'params') {
    const declare = known.length === 0 ? 'Declare it in "paramsSchema".' : didYouMean(name, known);
    if (!known.includes(name)) report('names no declared param.', declare);
  } else if (location.node === undefined) report('is read before anything has run.', 'Only params can stand here.');
  else if (!known.includes(name)) report('names no node of this recipe.', didYouMean(name, known));
  else if (!canRunBefore(context.recipe.graph, name, location.node))
    report(
      `has no value here: no way leads from ${JSON.stringify(name)} to ${JSON.stringify(location.node)}.`,
      'Read a node that runs before.',
    );
}

function translateText(context: TranslationContext, text: string, location: TextLocation): string {
  for (const stranger of findInvalidReferences(text)) {
    const message = `${stranger} is not a reference of modern recipes.`;
    const hint = 'Write {{params.<name>}} or {{outputs.<node>.<path>}}; items of a list are [0], [1], ….';
    context.recipe.report({ code: 'template.invalid_reference', at: location.keys, message, hint });
  }
  for (const reference of findReferences(text)) checkReference(context, reference, location);
  return replaceReferences(text, ({ root, keys }) => {
    return root === 'params'
      ? formatReference(context.params, keys)
      : formatReference('outputs', resolveOutputKeys(context, keys, location.node));
  });
}
