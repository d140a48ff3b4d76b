// Users' JSON Schemas (paramsSchema, outputsSchema, fields of custom actions), by ajv, which is loaded only when there is one.
import { createRequire } from 'node:module';
import type { Ajv as AjvClass, ErrorObject, ValidateFunction } from 'ajv';

export type SchemaCheck = { problem: string } | { problemsWith(value: unknown): SchemaProblem[] };

export type SchemaProblem = { keys: string[]; message: string };

const compiled = new WeakMap<object, SchemaCheck>();
let ajv: AjvClass | undefined;

/** A check made from a schema, or what is wrong with the schema. */
export function checkBySchema(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  const before = compiled.get(schema);
  if (before) return before;
  const made = compile(schema);
  compiled.set(schema, made);
  return made;
}

function compile(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  try {
    const { $schema: _, $id: __, ...rest } = schema;
    const validate = schemaCompiler().compile(rest);
    return { problemsWith: (value) => problemsWith(validate, value) };
  } catch (thrown) {
    // ajv throws on a schema it cannot compile, such as an unknown type or a reference that leads nowhere.
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** Made when the first schema comes: start-up is a feature. */
export function schemaCompiler(): AjvClass {
  if (ajv) return ajv;
  const { Ajv } = createRequire(import.meta.url)('ajv') as { Ajv: typeof AjvClass };
  ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, ownProperties: true });
  return ajv;
}

function problemsWith(validate: ValidateFunction, value: unknown): SchemaProblem[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => ({ keys: keysOf(error), message: words(error) }));
}

function keysOf({ instancePath }: ErrorObject): string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function words({ keyword, params, message = 'is not allowed' }: ErrorObject): string {
  if (keyword === 'required') return `${JSON.stringify(params.missingProperty)} is required`;
  if (keyword === 'additionalProperties') return `${JSON.stringify(params.additionalProperty)} is not one of its params`;
  if (keyword === 'enum')
    return `must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
  return message;
}
