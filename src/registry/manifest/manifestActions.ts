// Turns the actions of a manifest into declarations for the rules: the JSON Schema of the fields becomes a model.

import type { ErrorObject, ValidateFunction } from 'ajv';
import * as z from 'zod';
import type { Declaration, Effect } from '../../actions/action.js';
import { draftOf, schemaCompiler } from '../../actions/jsonSchema.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { nodeModel } from '../../formats/classic/model.js';
import type { CustomAction } from './actionManifestModel.js';

type FieldsSchema = Readonly<Record<string, unknown>>;

/** `invalid`: the reason why the schema is invalid. With an invalid schema, the model accepts any fields. */
type FieldsModel = { model: z.ZodType; invalid?: string };

/** The fields of the protocol. A manifest may list them in a schema, but an action never gets them. */
const protocolFields: readonly string[] = Object.keys(nodeModel.shape).filter((key) => key !== 'params');

function createFieldsModel(schema: FieldsSchema | null | undefined): FieldsModel {
  if (!schema) return { model: z.looseObject({}) };
  const actionSchema = withoutProtocolFields(schema);
  try {
    const validate = schemaCompiler(draftOf(schema)).compile(actionSchema);
    return {
      model: modelOfFieldNames(actionSchema).superRefine((fields, context) => addSchemaIssues(validate, fields, context)),
    };
  } catch (thrown) {
    // ajv throws an Error for an unknown type, an invalid pattern or a reference that cannot be resolved.
    return { model: z.looseObject({}), invalid: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** The schema without the fields of the protocol. */
function withoutProtocolFields(schema: FieldsSchema): FieldsSchema & { properties: FieldsSchema; required?: string[] } {
  const { properties, required, $schema: _, $id: __, ...rest } = schema;
  const actionFields = Object.entries(isObject(properties) ? properties : {}).filter(([name]) => !protocolFields.includes(name));
  const result = { type: 'object', ...rest, properties: Object.fromEntries(actionFields) };
  const requiredFields = Array.isArray(required) ? required.map(String).filter((name) => !protocolFields.includes(name)) : [];
  return requiredFields.length > 0 ? { ...result, required: requiredFields } : result;
}

/** Creates a model that has the names of the fields, for suggestions about misspelled fields. */
function modelOfFieldNames({ properties }: FieldsSchema) {
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
  if (keyword === 'required') return { code: 'custom', path: [...path, String(params.missingProperty)], message: 'is required' };
  const choices = Array.isArray(params.allowedValues)
    ? `: ${params.allowedValues.map((value) => JSON.stringify(value)).join(', ')}`
    : '';
  return { code: 'custom', path, message: `${message}${choices}` };
}

function isObject(value: unknown): value is FieldsSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type DeclarationResult = { declaration: Declaration } & Omit<FieldsModel, 'model'>;

/** The declaration of an action that only the manifest knows. */
export function toCustomDeclaration(entry: CustomAction): DeclarationResult {
  const { name, description, examples, captures, needs, secret_fields: secretFields } = entry;
  const { model: schema, ...problems } = createFieldsModel(entry.schema);
  const inPage = /^(ui|app|cdp)\./.test(name) ? ['page'] : undefined;
  const declaration: Declaration = {
    name,
    description: description ?? '',
    schema,
    effect: effectOf(entry),
    asserts: assertsIn(entry),
    examples: (examples ?? []).map((example) => ({ description: example.description ?? '', node: example.node })),
    ...omitUndefined({ captures, needs: needs ?? inPage, secretFields }),
  };
  return { declaration, ...problems };
}

function effectOf({ effect = 'user' }: CustomAction): Effect {
  return effect === 'varies' ? 'user' : effect;
}

// A convention of the protocol: an assert_* action asserts, and an ensure_* action asserts the state that it reaches.
function assertsIn({ name, asserts }: CustomAction): boolean {
  if (asserts !== undefined) return asserts !== false;
  return /^(assert|ensure)_/.test(name.slice(name.lastIndexOf('.') + 1));
}

/** The declaration of an official action, with the fields that a runner's manifest adds. The official fields stay as they are. */
export function extendDeclaration(declaration: Declaration, schema: FieldsSchema | null | undefined): DeclarationResult {
  const { schema: base } = declaration;
  if (!schema || !(base instanceof z.ZodObject)) return { declaration };
  const { invalid } = createFieldsModel(schema);
  const { properties, required = [], definitions, $defs } = withoutProtocolFields(schema);
  const added = Object.entries(properties).filter(([name]) => !Object.hasOwn(base.shape, name));
  if (invalid !== undefined) return { declaration, invalid };
  if (added.length === 0) return { declaration };
  const names = new Set(added.map(([name]) => name));
  // Constraints on several fields are dropped: they may involve official fields, which this model does not see.
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
    const addedFields = Object.fromEntries(Object.entries(fields).filter(([name]) => names.has(name)));
    for (const issue of model.safeParse(addedFields).error?.issues ?? []) context.addIssue({ ...issue });
  });
}
