// Users' JSON Schemas (paramsSchema, outputsSchema, fields of custom actions), by ajv, which is loaded only when there is one.
import { createRequire } from 'node:module';
import type { Ajv as AjvClass, ErrorObject, ValidateFunction } from 'ajv';
import { type Draft, draftOf } from './schemaDraft.js';

export type SchemaCheck = { problem: string } | { problemsWith(value: unknown): SchemaProblem[] };

export type SchemaProblem = { keys: string[]; message: string };

const compiled = new WeakMap<object, SchemaCheck>();
const compilers = new Map<Draft, AjvClass>();

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
    const validate = schemaCompiler(draftOf(schema)).compile(rest);
    return { problemsWith: (value) => problemsWith(validate, value) };
  } catch (thrown) {
    // ajv throws on a schema it cannot compile, such as an unknown type or a reference that leads nowhere.
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** Each draft has its own, as one that does not know a keyword would allow what the keyword forbids. */
const sources: Readonly<Record<Draft, string>> = { '07': 'ajv', '2019-09': 'ajv/dist/2019.js', '2020-12': 'ajv/dist/2020.js' };

/** Made when the first schema comes: start-up is a feature. */
export function schemaCompiler(draft: Draft): AjvClass {
  const before = compilers.get(draft);
  if (before) return before;
  const { default: Ajv } = createRequire(import.meta.url)(sources[draft]) as { default: typeof AjvClass };
  const made = new Ajv({ allErrors: true, strict: false, validateFormats: false, ownProperties: true });
  compilers.set(draft, made);
  return made;
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
  if (keyword === 'unevaluatedProperties') return `${JSON.stringify(params.unevaluatedProperty)} is not allowed`;
  if (keyword === 'enum')
    return `must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
  return message;
}
