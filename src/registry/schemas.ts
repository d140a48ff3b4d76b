// The JSON Schemas of all documents, generated from the models. They are stored in schemas/, and `recipewright schema` prints them.

import type { z } from 'zod';
import type { Declaration } from '../actions/action.js';
import { officialDeclarations } from '../actions/vocabulary.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { lineModel } from '../evidence/journal.js';
import { artifactManifestModel } from '../evidence/models/artifactManifestModel.js';
import { suiteResultModel } from '../evidence/models/suiteResultModel.js';
import { summaryModel } from '../evidence/models/summaryModel.js';
import { traceModel } from '../evidence/models/traceModel.js';
import { catalogModel, recipeModel } from '../formats/classic/model.js';
import { flowSpecModel } from '../formats/flowSpec/model.js';
import { doctorReportModel } from './doctorReport.js';
import { actionManifestModel } from './manifest/actionManifestModel.js';
import { capabilityProfileModel } from './manifest/capabilityProfile.js';
import { extensionActions } from './registry.js';
import { type Draft, toJsonSchema } from './toJsonSchema.js';

type JsonSchema = Record<string, unknown>;

const documents: readonly (readonly [name: string, title: string, model: z.ZodType, draft?: Draft])[] = [
  ['recipe-v1', 'A recipe (Recipe Protocol v1)', recipeModel],
  ['flow-catalog-v1', 'A flow catalog (Recipe Protocol v1)', catalogModel],
  // The format itself defines this name and this draft.
  ['flow_spec', 'A flow-spec v1: its shape and limits', flowSpecModel, 'draft-2020-12'],
  ['action-manifest-v1', 'An action manifest: the actions that a runner can execute', actionManifestModel],
  ['capability-profile-v1', 'A capability profile: the capabilities of a domain on each platform', capabilityProfileModel],
  ['trace-v1', 'trace.json: the nodes that ran, in order', traceModel],
  ['summary-v1', 'summary.json: the verdict and the counts of a run', summaryModel],
  ['artifact-manifest-v1', 'artifact-manifest.json: the files of an evidence package', artifactManifestModel],
  ['journal-v1', 'One line of journal.jsonl', lineModel],
  ['doctor-report-v1', 'A doctor report: whether recipes can run on this machine', doctorReportModel],
  ['suite-result-v1', 'The resolution of every case of a suite', suiteResultModel],
];

export const schemaTitles: ReadonlyMap<string, string> = new Map(documents.map(([name, title]) => [name, title]));

/** The schema of a document type, or undefined for an unknown name. */
export function documentSchema(name: string): JsonSchema | undefined {
  const [, title, model, draft] = documents.find(([known]) => known === name) ?? [];
  if (!model) return undefined;
  const { $schema, ...rest } = toJsonSchema(model, draft);
  return { $schema, $id: `recipewright/schemas/${name}.schema.json`, title, ...withActionFields(rest) };
}

/** Adds the fields of every known action to the definition of a node, if the schema has one. Nodes with unknown actions may have any fields. */
function withActionFields(schema: JsonSchema): JsonSchema {
  const definitions = schema.definitions as Record<string, JsonSchema> | undefined;
  const node = definitions?.node;
  if (!definitions || !node) return schema;
  const properties = node.properties as JsonSchema;
  const actions = [...officialDeclarations, ...extensionActions];
  const action = {
    ...(properties.action as JsonSchema),
    anyOf: [{ enum: actions.map(({ name }) => name) }, { pattern: '^[^.]+\\..' }],
  };
  const typedNode = { ...node, properties: { ...properties, action }, allOf: actions.map(actionBranch) };
  return {
    ...schema,
    definitions: { ...definitions, node: typedNode, protocolField: { enum: Object.keys(properties) }, reference },
  };
}

const reference = {
  type: 'string',
  pattern: '\\{\\{[^}]+\\}\\}',
  description: 'A reference, which the run replaces by its value.',
};
const protocolField = { $ref: '#/definitions/protocolField' };

function actionBranch({ name, description, schema }: Declaration): JsonSchema {
  const { properties = {}, required = [] } = toJsonSchema(schema) as { properties?: JsonSchema; required?: string[] };
  const names = Object.keys(properties);
  const fields = Object.entries(properties).map(([field, type]) => [field, orReference(type as JsonSchema)]);
  const constraints: JsonSchema = {
    description,
    properties: Object.fromEntries(fields),
    propertyNames: names.length > 0 ? { anyOf: [{ enum: names }, protocolField] } : protocolField,
  };
  // A required field may instead take its value from the run, by rw.in.
  if (required.length > 0) constraints.anyOf = [{ required }, { required: ['rw'] }];
  const condition = { properties: { action: { const: name } }, required: ['action'] };
  // An object literal with a `then` looks like a promise to the linter.
  return Object.fromEntries([
    ['if', condition],
    ['then', constraints],
  ]);
}

/** Allows a reference instead of a number, an enum value or any other value that is not a plain string. */
function orReference(field: JsonSchema): JsonSchema {
  const { description, ...rest } = field;
  const isPlainString = rest.type === 'string' && !['enum', 'pattern', 'const'].some((key) => key in rest);
  if (isPlainString || Object.keys(rest).length === 0) return field;
  const inner = { ...rest, ...propertiesOf(rest), ...itemsOf(rest) };
  return { ...omitUndefined({ description }), anyOf: [inner, { $ref: '#/definitions/reference' }] };
}

function propertiesOf({ properties }: JsonSchema): JsonSchema {
  const entries = Object.entries((properties ?? {}) as Record<string, JsonSchema>);
  return properties ? { properties: Object.fromEntries(entries.map(([name, part]) => [name, orReference(part)])) } : {};
}

function itemsOf({ items }: JsonSchema): JsonSchema {
  return typeof items === 'object' && items !== null && !Array.isArray(items) ? { items: orReference(items as JsonSchema) } : {};
}
