// Parses, checks and translates the two references of modern recipes: `{{params.a.b}}` and `{{outputs.node.items[0]}}`.
import { didYouMean } from '../../document/didYouMean.js';
import { canRunBefore, choosePartIds, hasTeardown } from './graph.js';
import { findCallee, readParams, type TranslationContext } from './translationContext.js';

export type Reference = { root: 'params' | 'outputs'; keys: readonly string[] };

const referenceBody = String.raw`\s*(params|outputs)((?:\.[\w-]+|\[\d+\])+)\s*`;
const referencePattern = new RegExp(String.raw`\{\{${referenceBody}\}\}`, 'g');
const wholePattern = new RegExp(String.raw`^\{\{${referenceBody}\}\}$`);
/** Matches strings that the engine would read as a reference, or that an author may have meant as one. */
const suspectPattern = /\{\{\s*(?:[A-Za-z_][\w-]*(?:\.[\w-]+)*\s*\}\}|(?:params|outputs)[.[][^}]*\}?\}?)/g;
/** JavaScript objects inherit these properties, so they are no data. */
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns undefined unless the whole string is one reference. */
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

/** Returns the parts of a string that look like references, but are not valid in a modern recipe. */
export function findInvalidReferences(text: string): string[] {
  const isValid = (suspect: string): boolean => {
    const reference = parseReference(suspect);
    return reference !== undefined && !reference.keys.some((key) => refusedKeys.has(key));
  };
  return [...text.matchAll(suspectPattern)].map(([suspect]) => suspect).filter((suspect) => !isValid(suspect));
}

/** Formats a reference as the engine spells it: `[0]` becomes `.0`. */
export function formatReference(root: string, keys: readonly string[]): string {
  return `{{${[root, ...keys].join('.')}}}`;
}

/** Formats a path into a value, such as `$.items[0]`. */
export function toPath(keys: readonly string[]): string {
  return `$${keys.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join('')}`;
}

function toReference(root: string, path: string): Reference {
  return { root: root as Reference['root'], keys: path.split(/[.[\]]+/).filter((key) => key !== '') };
}

/** The position of a string, and the id of the node that contains the string, if any. */
type TextLocation = { keys: readonly string[]; node?: string };

/** Translates the references in all strings of a value into the spelling of classic recipes. */
export function translateTexts(context: TranslationContext, value: unknown, location: TextLocation): unknown {
  const translateItem = (item: unknown, key: string | number): unknown =>
    translateTexts(context, item, { ...location, keys: [...location.keys, String(key)] });
  if (typeof value === 'string') return translateText(context, value, location);
  if (Array.isArray(value)) return value.map(translateItem);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, translateItem(item, key)]));
}

export function readsOutputs(value: unknown): boolean {
  if (typeof value === 'string') return findReferences(value).some(({ root }) => root === 'outputs');
  return typeof value === 'object' && value !== null && Object.values(value).some(readsOutputs);
}

/** Returns the names of the params that a value reads. */
export function findParams(value: unknown): string[] {
  if (typeof value === 'string')
    return findReferences(value).flatMap(({ root, keys: [name = ''] }) => (root === 'params' ? [name] : []));
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findParams) : [];
}

/**
 * Returns the path to an output in the classic recipe. A called recipe with a teardown becomes a flow of two calls, so its
 * outputs are one call deeper. The nodes of that teardown read the outputs of the main part one call deeper, too.
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
  const report = (problem: string, hint: string): void => {
    context.recipe.report({
      code: 'template.unresolved_reference',
      at: location.keys,
      message: `${formatReference(root, keys)} ${problem}`,
      hint,
    });
  };
  if (root === 'params') {
    const hint = known.length === 0 ? 'Declare it in "paramsSchema".' : didYouMean(name, known);
    if (!known.includes(name)) report('is not a declared param.', hint);
  } else if (location.node === undefined) report('is read before any node has run.', 'Use only params here.');
  else if (!known.includes(name)) report('is not a node of this recipe.', didYouMean(name, known));
  else if (!canRunBefore(context.recipe.graph, name, location.node))
    report(
      `has no value here: no path leads from ${JSON.stringify(name)} to ${JSON.stringify(location.node)}.`,
      'Read a node that runs before.',
    );
}

function translateText(context: TranslationContext, text: string, location: TextLocation): string {
  for (const invalid of findInvalidReferences(text)) {
    const message = `${invalid} is not a reference of modern recipes.`;
    const hint = 'Write {{params.<name>}} or {{outputs.<node>.<path>}}. Write [0], [1], … for the items of a list.';
    context.recipe.report({ code: 'template.invalid_reference', at: location.keys, message, hint });
  }
  for (const reference of findReferences(text)) checkReference(context, reference, location);
  return replaceReferences(text, ({ root, keys }) => {
    return root === 'params'
      ? formatReference(context.params, keys)
      : formatReference('outputs', resolveOutputKeys(context, keys, location.node));
  });
}
