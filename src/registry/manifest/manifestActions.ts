// The fields of a custom action as its manifest describes them: JSON Schema in, a model out.

import type { ErrorObject, ValidateFunction } from 'ajv';
import * as z from 'zod';
import type { Declaration, Effect } from '../../actions/action.js';
import { draftOf, schemaCompiler } from '../../actions/jsonSchema.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { nodeModel } from '../../formats/classic/model.js';
import type { CustomAction } from './model.js';

type Json = Readonly<Record<string, unknown>>;

/** `invalid` says what is wrong with the schema; any fields are then accepted. */
export type FieldsModel = { model: z.ZodType; invalid?: string };

/** Fields of the protocol's own: manifests list some of them, nodes hand none of them to the action. */
const protocolFields: readonly string[] = Object.keys(nodeModel.shape).filter((key) => key !== 'params');

export function createFieldsModel(schema: Json | null | undefined): FieldsModel {
  if (!schema) return { model: z.looseObject({}) };
  const own = withoutProtocolFields(schema);
  try {
    const validate = schemaCompiler(draftOf(schema)).compile(own);
    return { model: modelOfFieldNames(own).superRefine((fields, context) => addSchemaIssues(validate, fields, context)) };
  } catch (thrown) {
    // An Error is what ajv throws at a type that does not exist, a broken pattern or a reference that leads nowhere.
    return { model: z.looseObject({}), invalid: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** The schema without what belongs to the protocol. */
export function withoutProtocolFields(schema: Json): Json & { properties: Json; required?: string[] } {
  const { properties, required, $schema: _, $id: __, ...rest } = schema;
  const fields = Array.isArray(required) ? required.map(String).filter((name) => !protocolFields.includes(name)) : [];
  const own = Object.entries(isObject(properties) ? properties : {}).filter(([name]) => !protocolFields.includes(name));
  return { type: 'object', ...rest, properties: Object.fromEntries(own), ...(fields.length > 0 ? { required: fields } : {}) };
}

/** Names the fields, so that a misspelt one can be told from them. */
function modelOfFieldNames({ properties }: Json) {
  const names = Object.keys(isObject(properties) ? properties : {});
  return z.looseObject(Object.fromEntries(names.map((name) => [name, z.unknown().optional()])));
}

function addSchemaIssues(validate: ValidateFunction, fields: unknown, context: z.RefinementCtx): void {
  if (validate(fields)) return;
  for (const error of validate.errors ?? []) context.addIssue(issueOf(error));
}

type Issue = Exclude<Parameters<z.RefinementCtx['addIssue']>[0], string>;

function issueOf({ instancePath, keyword, params, message = 'is not allowed' }: ErrorObject): Issue {
  const names = instancePath.split('/').slice(1);
  const path = names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'additionalProperties') return { code: 'unrecognized_keys', keys: [String(params.additionalProperty)], path };
  if (keyword === 'required')
    return { code: 'custom', path: [...path, String(params.missingProperty)], message: 'It is required here' };
  const choices = Array.isArray(params.allowedValues)
    ? `: ${params.allowedValues.map((one) => JSON.stringify(one)).join(', ')}`
    : '';
  return { code: 'custom', path, message: `It ${message}${choices}` };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// An action that only a manifest knows, as a declaration the rules can ask.

export type CustomDeclaration = { declaration: Declaration } & Omit<FieldsModel, 'model'>;

export function toCustomDeclaration(entry: CustomAction): CustomDeclaration {
  const { name, description, examples, captures, needs, secret_fields: secretFields } = entry;
  const { model: schema, ...problems } = createFieldsModel(entry.schema);
  const inPage = /^(ui|app|cdp)\./.test(name) ? ['page'] : undefined;
  const declaration: Declaration = {
    ...{ name, description: description ?? '', schema, effect: effectOf(entry), asserts: assertsIn(entry) },
    examples: (examples ?? []).map(({ description: said, node }) => ({ description: said ?? '', node })),
    ...omitUndefined({ captures, needs: needs ?? inPage, secretFields }),
  };
  return { declaration, ...problems };
}

function effectOf({ effect = 'user' }: CustomAction): Effect {
  return effect === 'varies' ? 'user' : effect;
}

// The protocol's own habit: assert_* checks, ensure_* proves what it converged to.
function assertsIn({ name, asserts }: CustomAction): boolean {
  if (asserts !== undefined) return asserts !== false;
  return /^(assert|ensure)_/.test(name.slice(name.lastIndexOf('.') + 1));
}

// An official action with the fields that a runner's manifest adds to it: the protocol's own mean what they always mean.

type FieldsSchema = Readonly<Record<string, unknown>>;

export type ExtendedDeclaration = { declaration: Declaration } & Omit<FieldsModel, 'model'>;

export function extendDeclaration(declaration: Declaration, schema: FieldsSchema | null | undefined): ExtendedDeclaration {
  const { schema: base } = declaration;
  if (!schema || !(base instanceof z.ZodObject)) return { declaration };
  const { invalid } = createFieldsModel(schema);
  const { properties, required = [], definitions, $defs } = withoutProtocolFields(schema);
  const added = Object.entries(properties).filter(([name]) => !Object.hasOwn(base.shape, name));
  if (invalid !== undefined) return { declaration, invalid };
  if (added.length === 0) return { declaration };
  const names = new Set(added.map(([name]) => name));
  // What the schema says of fields together is about those of the protocol too, which nodes are not asked for here.
  const { model } = createFieldsModel({
    ...omitUndefined({ definitions, $defs }),
    properties: Object.fromEntries(added),
    required: required.filter((name) => names.has(name)),
  });
  return { declaration: { ...declaration, schema: extendModel(base, names, model) } };
}

function extendModel(base: z.ZodObject, names: ReadonlySet<string>, model: z.ZodType): z.ZodType {
  const shape = Object.fromEntries([...names].map((name) => [name, z.unknown().optional()]));
  return base.safeExtend(shape).superRefine((fields, context) => {
    const given = Object.fromEntries(Object.entries(fields).filter(([name]) => names.has(name)));
    for (const issue of model.safeParse(given).error?.issues ?? []) context.addIssue({ ...issue });
  });
}
