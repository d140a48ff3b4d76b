// Every text of a node with its references in the spelling of the classic recipe.
import { didYouMean } from '../../document/didYouMean.js';
import { hasCleanUp, mayComeBefore, partIds } from './graph.js';
import { type Reference, referencesIn, replaceReferences, spell, strangersIn } from './references.js';
import { calleeOf, paramsOf, type Site } from './site.js';

/** Where a text stands, and the node that reads it, if one does. */
export type Spot = { keys: readonly string[]; node?: string };

export function translateTexts(site: Site, value: unknown, spot: Spot): unknown {
  const inner = (item: unknown, key: string | number): unknown =>
    translateTexts(site, item, { ...spot, keys: [...spot.keys, String(key)] });
  if (typeof value === 'string') return translateText(site, value, spot);
  if (Array.isArray(value)) return value.map(inner);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item, key)]));
}

export function readsOutputs(value: unknown): boolean {
  if (typeof value === 'string') return referencesIn(value).some(({ root }) => root === 'outputs');
  return typeof value === 'object' && value !== null && Object.values(value).some(readsOutputs);
}

/** The params of its own recipe that a value reads, by their first key. */
export function paramsIn(value: unknown): string[] {
  if (typeof value === 'string')
    return referencesIn(value).flatMap(({ root, keys: [name = ''] }) => (root === 'params' ? [name] : []));
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(paramsIn) : [];
}

/**
 * The path from the outputs that a node sees to the value it means. What a called recipe with a clean-up of its own gives
 * lies one call deeper, and so does, for that clean-up, what the recipe itself gave.
 */
export function outputKeys(site: Site, keys: readonly string[], reader = ''): string[] {
  const { graph } = site.authored;
  const [node = '', ...path] = intoCall(site, keys);
  const apart = site.params === 'params' && graph.teardown?.ids.has(reader) && graph.main.has(node);
  return apart ? [partIds(graph).main, 'outputs', node, ...path] : [node, ...path];
}

function intoCall(site: Site, [node = '', ...path]: readonly string[]): string[] {
  const callee = calleeOf(site, node)?.graph;
  const [first, inner] = path;
  if (!callee || !hasCleanUp(callee) || first !== 'outputs' || inner === undefined) return [node, ...path];
  const { main, teardown } = partIds(callee);
  return [node, 'outputs', callee.main.has(inner) ? main : teardown, ...path];
}

export function checkReference(site: Site, { root, keys }: Reference, spot: Spot): void {
  const [name = ''] = keys;
  const known = root === 'params' ? [...paramsOf(site.authored).keys()] : [...site.authored.graph.nodes.keys()];
  const report = (why: string, hint: string): void => {
    site.authored.report({ code: 'template.unresolved_reference', at: spot.keys, message: `${spell(root, keys)} ${why}`, hint });
  };
  if (root === 'params') {
    const declare = known.length === 0 ? 'Declare it in "paramsSchema".' : didYouMean(name, known);
    if (!known.includes(name)) report('names no declared param.', declare);
  } else if (spot.node === undefined) report('is read before anything has run.', 'Only params can stand here.');
  else if (!known.includes(name)) report('names no node of this recipe.', didYouMean(name, known));
  else if (!mayComeBefore(site.authored.graph, name, spot.node))
    report(
      `has no value here: no way leads from ${JSON.stringify(name)} to ${JSON.stringify(spot.node)}.`,
      'Read a node that runs before.',
    );
}

function translateText(site: Site, text: string, spot: Spot): string {
  for (const stranger of strangersIn(text)) {
    const message = `${stranger} is not a reference of modern recipes.`;
    const hint = 'Write {{params.<name>}} or {{outputs.<node>.<path>}}; items of a list are [0], [1], ….';
    site.authored.report({ code: 'template.invalid_reference', at: spot.keys, message, hint });
  }
  for (const reference of referencesIn(text)) checkReference(site, reference, spot);
  return replaceReferences(text, ({ root, keys }) => {
    return root === 'params' ? spell(site.params, keys) : spell('outputs', outputKeys(site, keys, spot.node));
  });
}
