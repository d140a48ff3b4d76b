// Compiles modern Recipe v1: `workflow` at the top level, `paramsSchema`, `proves`, and library recipes instead of flows.

import { type Finding, hasErrors } from '../../document/finding.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import type { Document } from '../../document/readDocument.js';
import type { CompiledRecipe, Dialect, ResolveDocument } from '../../recipe/recipe.js';
import { compileClassic } from '../classic/compile.js';
import type { RecipeJson } from '../classic/model.js';
import { type AuthoredRecipe, readCallTree } from './callTree.js';
import { type Graph, hasTeardown } from './graph.js';
import type { ModernRecipe } from './model.js';
import { createPart, type MovedPart, Origins } from './origins.js';
import { translateTexts } from './references.js';
import { formatPartFlowId, translateFlows, translatePart } from './translateFlows.js';
import { translateNode } from './translateNode.js';
import { getNodeSource, type Json, type TranslationContext } from './translationContext.js';

export const recipeV1Modern: Dialect = {
  name: 'recipe-v1-modern',
  detect: ({ value }) =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, 'workflow') && !Object.hasOwn(value, 'validate'),
  compile(document, resolve) {
    const { json, origin, authored, findings } = toClassic(document, resolve);
    if (!json) return { findings };
    const classic = compileClassic(json, { origin, file: document.file }, resolve);
    const allFindings = [...findings, ...classic.findings];
    if (!classic.compiled) return { findings: allFindings };
    return { compiled: { ...classic.compiled, authored, findings: allFindings }, findings: allFindings };
  },
};

type ClassicTranslation = {
  /** Undefined when the document cannot be translated. */
  json?: RecipeJson;
  /** The authored position of a pointer of `json`. */
  origin: CompiledRecipe['origin'];
  /** The authored pointer of a pointer of `json`. */
  authored: (pointer: string) => string;
  findings: Finding[];
};

/** Translates a modern recipe and all recipes it calls into one classic document. */
export function toClassic(document: Document, resolve: ResolveDocument): ClassicTranslation {
  const { root, called, findings } = readCallTree(document, resolve);
  const origins = new Origins({ document, keys: [] });
  const translation = { origin: origins.place, authored: origins.authored, findings };
  if (!root || hasErrors(findings)) return translation;
  const json = assembleRecipe(root, called, origins);
  return hasErrors(findings) ? translation : { json, ...translation };
}

function assembleRecipe(root: AuthoredRecipe, called: ReadonlyMap<string, AuthoredRecipe>, origins: Origins): RecipeJson {
  const context: TranslationContext = { recipe: root, params: 'inputs', called };
  const { $schema, title, description, paramsSchema, proofTargets } = root.json;
  const from = (...keys: string[]) => ({ document: root.document, keys });
  origins.recordSource(['schema_version'], from('$schema'), createPart(1));
  origins.recordSource(['inputs'], from('paramsSchema', 'properties'), createPart({}));
  origins.recordSource(['validate'], from('workflow'), { json: {}, moved: [[['workflow'], from('workflow')]] });
  const at = ['validate', 'workflow'];
  const main = translatePart(context, { entry: root.graph.entry, ids: root.graph.main }, { origins, at });
  const { teardown, flow } = translateTeardown(context, origins);
  const flows = [...translateFlows(called, origins), ...(flow ? [flow] : [])];
  return {
    $schema,
    schema_version: 1,
    ...omitUndefined({
      title,
      description,
      inputs: paramsSchema?.properties && toInputs(paramsSchema.properties, paramsSchema.required),
    }),
    ...(proofTargets ? { proofTargets: translateTexts(context, proofTargets, { keys: ['proofTargets'] }) } : {}),
    ...(flows.length > 0 ? { flows: Object.fromEntries(flows) } : {}),
    validate: { workflow: { ...main, ...(teardown.length > 0 ? { teardown } : {}) } },
  } as RecipeJson;
}

type Properties = NonNullable<NonNullable<ModernRecipe['paramsSchema']>['properties']>;

function toInputs(properties: Properties, required: unknown): Json {
  const requiredNames = new Set(Array.isArray(required) ? required : []);
  const inputs = Object.entries(properties).map(
    ([name, { type, default: defaultValue, description, enum: values }]): [string, Json] => {
      const optional = defaultValue === undefined && !requiredNames.has(name) ? { required: false } : {};
      const fields = omitUndefined({ default: defaultValue, description, enum: Array.isArray(values) ? values : undefined });
      return [name, { type: inputTypes.get(type) ?? 'json', ...fields, ...optional }];
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

const teardownFlow = formatPartFlowId('', 'teardown');

// A chain of nodes becomes a list. A graph that branches, or does not end with pass, becomes a flow that the list calls.
function translateTeardown(context: TranslationContext, origins: Origins): { teardown: Json[]; flow?: [string, Json] } {
  const { graph, document } = context.recipe;
  if (!graph.teardown || !hasTeardown(graph)) return { teardown: [] };
  const chain = findChain(graph, graph.teardown.entry);
  if (chain) {
    const teardown = chain.map((id, index) => {
      const { json, moved } = translateNode(context, id);
      const { next: _, ...node } = json;
      const part = { json: { id, ...node }, moved: [[['id'], getNodeSource(context, id)] satisfies MovedPart, ...moved] };
      return origins.recordSource(['validate', 'workflow', 'teardown', String(index)], getNodeSource(context, id), part);
    });
    return { teardown };
  }
  const call = { action: 'call', ref: teardownFlow, intent: 'Run the teardown of the recipe' };
  const from = { document, keys: ['workflow', 'teardown'] };
  origins.recordSource(['flows', teardownFlow], from, { json: call, moved: [[['workflow'], { document, keys: ['workflow'] }]] });
  const workflow = translatePart(context, graph.teardown, { origins, at: ['flows', teardownFlow, 'workflow'] });
  const node = origins.recordSource(['validate', 'workflow', 'teardown', '0'], from, createPart(call));
  return { teardown: [node], flow: [teardownFlow, { description: 'The teardown of the recipe.', workflow }] };
}

function findChain({ nodes }: Graph, entry: string): string[] | undefined {
  const chain: string[] = [];
  for (let id: string | undefined = entry; id !== undefined; id = nodes.get(id)?.next) {
    const node = nodes.get(id);
    if (node?.action === 'end') return node.status === 'pass' ? chain : undefined;
    chain.push(id);
  }
  return undefined;
}
