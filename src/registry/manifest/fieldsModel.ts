// The fields of a custom action as its manifest describes them: JSON Schema in, a model out.
import type { ErrorObject, ValidateFunction } from 'ajv';
import * as z from 'zod';
import { schemaCompiler } from '../../actions/jsonSchema.js';
import { draftOf } from '../../actions/schemaDraft.js';
import { nodeModel } from '../../formats/classic/model.js';

type Json = Readonly<Record<string, unknown>>;

/** `invalid` says what is wrong with the schema; any fields are then accepted. */
export type FieldsModel = { model: z.ZodType; invalid?: string };

/** Fields of the protocol's own: manifests list some of them, nodes hand none of them to the action. */
const protocolFields: readonly string[] = Object.keys(nodeModel.shape).filter((key) => key !== 'params');

export function fieldsModel(schema: Json | null | undefined): FieldsModel {
  if (!schema) return { model: z.looseObject({}) };
  const own = ownFields(schema);
  try {
    const validate = schemaCompiler(draftOf(schema)).compile(own);
    return { model: open(own).superRefine((fields, context) => refuse(validate, fields, context)) };
  } catch (thrown) {
    // An Error is what ajv throws at a type that does not exist, a broken pattern or a reference that leads nowhere.
    return { model: z.looseObject({}), invalid: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** The schema without what belongs to the protocol. */
export function ownFields(schema: Json): Json & { properties: Json; required?: string[] } {
  const { properties, required, $schema: _, $id: __, ...rest } = schema;
  const fields = Array.isArray(required) ? required.map(String).filter((name) => !protocolFields.includes(name)) : [];
  const own = Object.entries(isObject(properties) ? properties : {}).filter(([name]) => !protocolFields.includes(name));
  return { type: 'object', ...rest, properties: Object.fromEntries(own), ...(fields.length > 0 ? { required: fields } : {}) };
}

/** Names the fields, so that a misspelt one can be told from them. */
function open({ properties }: Json) {
  const names = Object.keys(isObject(properties) ? properties : {});
  return z.looseObject(Object.fromEntries(names.map((name) => [name, z.unknown().optional()])));
}

function refuse(validate: ValidateFunction, fields: unknown, context: z.RefinementCtx): void {
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
