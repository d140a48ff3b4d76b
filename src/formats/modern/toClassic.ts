// A modern recipe, with all that it calls, as one classic document that can be printed, checked and run again.
import { type Finding, hasErrors } from '../../document/finding.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import type { Document } from '../../document/readDocument.js';
import type { CompiledRecipe, ResolveDocument } from '../../recipe/recipe.js';
import type { RecipeJson } from '../classic/model.js';
import { type Authored, readCallTree } from './callTree.js';
import { type Graph, hasCleanUp } from './graph.js';
import type { ModernRecipe } from './model.js';
import { type Moved, made, Origins } from './origins.js';
import { type Json, type Site, sourceOf } from './site.js';
import { partFlow, translateFlows, translatePart } from './translateFlows.js';
import { translateNode } from './translateNode.js';
import { translateTexts } from './translateTexts.js';

export type Classic = {
  /** Missing when the document cannot be translated. */
  json?: RecipeJson;
  /** Where a pointer of it was written. */
  origin: CompiledRecipe['origin'];
  /** What its pointer was there. */
  authored: (pointer: string) => string;
  findings: Finding[];
};

export function toClassic(document: Document, resolve: ResolveDocument): Classic {
  const { root, called, findings } = readCallTree(document, resolve);
  const origins = new Origins({ document, keys: [] });
  const known = { origin: origins.place, authored: origins.authored, findings };
  if (!root || hasErrors(findings)) return known;
  const json = assemble(root, called, origins);
  return hasErrors(findings) ? known : { json, ...known };
}

function assemble(root: Authored, called: ReadonlyMap<string, Authored>, origins: Origins): RecipeJson {
  const site: Site = { authored: root, params: 'inputs', called };
  const { $schema, title, description, paramsSchema, proofTargets } = root.json;
  const from = (...keys: string[]) => ({ document: root.document, keys });
  origins.put(['schema_version'], from('$schema'), made(1));
  origins.put(['inputs'], from('paramsSchema', 'properties'), made({}));
  origins.put(['validate'], from('workflow'), { json: {}, moved: [[['workflow'], from('workflow')]] });
  const at = ['validate', 'workflow'];
  const main = translatePart(site, { entry: root.graph.entry, ids: root.graph.main }, { origins, at });
  const { teardown, flow } = translateTeardown(site, origins);
  const flows = [...translateFlows(called, origins), ...(flow ? [flow] : [])];
  return {
    ...{ $schema, schema_version: 1 },
    ...omitUndefined({
      title,
      description,
      inputs: paramsSchema?.properties && toInputs(paramsSchema.properties, paramsSchema.required),
    }),
    ...(proofTargets ? { proofTargets: translateTexts(site, proofTargets, { keys: ['proofTargets'] }) } : {}),
    ...(flows.length > 0 ? { flows: Object.fromEntries(flows) } : {}),
    validate: { workflow: { ...main, ...(teardown.length > 0 ? { teardown } : {}) } },
  } as RecipeJson;
}

type Properties = NonNullable<NonNullable<ModernRecipe['paramsSchema']>['properties']>;

function toInputs(properties: Properties, required: unknown): Json {
  const needed = new Set(Array.isArray(required) ? required : []);
  const inputs = Object.entries(properties).map(
    ([name, { type, default: fallback, description, enum: values }]): [string, Json] => {
      const optional = fallback === undefined && !needed.has(name) ? { required: false } : {};
      const kept = omitUndefined({ default: fallback, description, enum: Array.isArray(values) ? values : undefined });
      return [name, { type: inputTypes.get(type) ?? 'json', ...kept, ...optional }];
    },
  );
  return Object.fromEntries(inputs);
}

const inputTypes: ReadonlyMap<unknown, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
]);

const teardownFlow = partFlow('', 'teardown');

// A chain is a list; what branches, or does not end with pass, is a flow that one node of the list calls.
function translateTeardown(site: Site, origins: Origins): { teardown: Json[]; flow?: [string, Json] } {
  const { graph, document } = site.authored;
  if (!graph.teardown || !hasCleanUp(graph)) return { teardown: [] };
  const chain = chainOf(graph, graph.teardown.entry);
  if (chain) {
    const teardown = chain.map((id, index) => {
      const { json, moved } = translateNode(site, id);
      const { next: _, ...node } = json;
      const listed = { json: { id, ...node }, moved: [[['id'], sourceOf(site, id)] satisfies Moved, ...moved] };
      return origins.put(['validate', 'workflow', 'teardown', String(index)], sourceOf(site, id), listed);
    });
    return { teardown };
  }
  const call = { action: 'call', ref: teardownFlow, intent: 'Clean up what the run has left' };
  const from = { document, keys: ['workflow', 'teardown'] };
  origins.put(['flows', teardownFlow], from, { json: call, moved: [[['workflow'], { document, keys: ['workflow'] }]] });
  const workflow = translatePart(site, graph.teardown, { origins, at: ['flows', teardownFlow, 'workflow'] });
  const node = origins.put(['validate', 'workflow', 'teardown', '0'], from, made(call));
  return { teardown: [node], flow: [teardownFlow, { description: 'The clean-up of the recipe.', workflow }] };
}

function chainOf({ nodes }: Graph, entry: string): string[] | undefined {
  const chain: string[] = [];
  for (let id: string | undefined = entry; id !== undefined; id = nodes.get(id)?.next) {
    const node = nodes.get(id);
    if (node?.action === 'end') return node.status === 'pass' ? chain : undefined;
    chain.push(id);
  }
  return undefined;
}
