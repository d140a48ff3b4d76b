// The params of a call, with the defaults of the recipe that is called, so that the classic recipe says all that is given.
import { didYouMean } from '../../document/didYouMean.js';
import type { Authored } from './callTree.js';
import { referencesIn, strangersIn } from './references.js';
import { calleeOf, type Json, paramsOf, type Site } from './site.js';
import type { Draft } from './translateNode.js';

export function fillParams(site: Site, id: string, draft: Draft): void {
  const callee = calleeOf(site, id);
  if (!callee) return;
  const given = new Map(Object.entries((draft.json.params ?? {}) as Json));
  refuseParams(site, id, { callee, given });
  for (const [name, schema] of paramsOf(callee)) {
    if (given.has(name) || !Object.hasOwn(schema, 'default')) continue;
    given.set(name, schema.default);
    const keys = ['paramsSchema', 'properties', name, 'default'];
    draft.moved.push([['params', name], { document: callee.document, keys }]);
  }
  if (given.size > 0) draft.json.params = Object.fromEntries(given);
}

// A default is a value, but inside of a call it would be read as text with references of the caller.
export function checkDefaults(callee: Authored): void {
  const check = (value: unknown, at: string[]): void => {
    if (typeof value === 'object' && value !== null) for (const [key, inner] of Object.entries(value)) check(inner, [...at, key]);
    if (typeof value !== 'string' || referencesIn(value).length + strangersIn(value).length === 0) return;
    const message = `The default ${JSON.stringify(value)} has a reference in it; a default is a value.`;
    callee.report({ code: 'template.invalid_reference', at, message, hint: 'Let the caller give the param.' });
  };
  for (const [name, schema] of paramsOf(callee)) check(schema.default, ['paramsSchema', 'properties', name, 'default']);
}

type Call = { callee: Authored; given: ReadonlyMap<string, unknown> };

function refuseParams(site: Site, id: string, { callee, given }: Call): void {
  const declared = paramsOf(callee);
  const ref = JSON.stringify(site.authored.graph.nodes.get(id)?.ref);
  const report = (keys: string[], message: string, hint: string): void =>
    site.authored.report({ code: 'workflow.invalid_call_params', at: ['workflow', 'nodes', id, ...keys], message, hint });
  for (const name of given.keys()) {
    if (declared.has(name) || callee.json.paramsSchema?.additionalProperties === true) continue;
    const hint = declared.size === 0 ? 'It takes none.' : didYouMean(name, [...declared.keys()]);
    report(['params', name], `The recipe ${ref} takes no param ${JSON.stringify(name)}.`, hint);
  }
  for (const name of callee.json.paramsSchema?.required ?? []) {
    if (given.has(name) || Object.hasOwn(declared.get(name) ?? {}, 'default')) continue;
    report(['params'], `The recipe ${ref} needs the param ${JSON.stringify(name)}.`, `Add ${JSON.stringify(name)} to "params".`);
  }
}
