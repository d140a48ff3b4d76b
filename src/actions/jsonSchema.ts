// Validates values with the JSON Schemas of users: paramsSchema, outputsSchema and fields of custom actions.
import { createRequire } from 'node:module';
import type { Ajv as AjvClass, ErrorObject, ValidateFunction } from 'ajv';

export type SchemaCheck = { problem: string } | { findProblems(value: unknown): SchemaProblem[] };

type SchemaProblem = { keys: string[]; message: string };

const compiled = new WeakMap<object, SchemaCheck>();
const compilers = new Map<Draft, AjvClass>();

/** Returns a check for values, or the problem of an invalid schema. */
export function createSchemaCheck(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  const cached = compiled.get(schema);
  if (cached) return cached;
  const check = compileSchema(schema);
  compiled.set(schema, check);
  return check;
}

function compileSchema(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  try {
    const { $schema: _, $id: __, ...rest } = schema;
    const validate = schemaCompiler(draftOf(schema)).compile(rest);
    return { findProblems: (value) => listProblems(validate, value) };
  } catch (thrown) {
    // ajv throws on an invalid schema, for example with an unknown type or a $ref without a target.
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** Each draft needs its own class: ajv ignores keywords of other drafts, and would allow what they forbid. */
const ajvModules: Readonly<Record<Draft, string>> = { '07': 'ajv', '2019-09': 'ajv/dist/2019.js', '2020-12': 'ajv/dist/2020.js' };

/** Loaded on demand, to keep the start-up fast. */
export function schemaCompiler(draft: Draft): AjvClass {
  const cached = compilers.get(draft);
  if (cached) return cached;
  const { default: Ajv } = createRequire(import.meta.url)(ajvModules[draft]) as { default: typeof AjvClass };
  const compiler = new Ajv({ allErrors: true, strict: false, validateFormats: false, ownProperties: true });
  compilers.set(draft, compiler);
  return compiler;
}

function listProblems(validate: ValidateFunction, value: unknown): SchemaProblem[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => ({ keys: keysOf(error), message: describeError(error) }));
}

function keysOf({ instancePath }: ErrorObject): string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function describeError({ keyword, params, message = 'is not allowed' }: ErrorObject): string {
  if (keyword === 'required') return `${JSON.stringify(params.missingProperty)} is required`;
  if (keyword === 'additionalProperties') return `${JSON.stringify(params.additionalProperty)} is not allowed`;
  if (keyword === 'unevaluatedProperties') return `${JSON.stringify(params.unevaluatedProperty)} is not allowed`;
  if (keyword === 'enum')
    return `must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
  return message;
}

// Detects the draft of a JSON Schema. With an older draft, newer keywords would be ignored and every value would pass them.

export type Draft = '07' | '2019-09' | '2020-12';

/** Draft 2019-09 includes draft-07. Draft 2020-12 changes the meaning of `items`. */
const since2019 = [
  ...['dependentRequired', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['minContains', 'maxContains', '$recursiveRef', '$recursiveAnchor', '$anchor'],
];
const since2020 = ['prefixItems', '$dynamicRef', '$dynamicAnchor'];

/** Returns the draft in `$schema`, or a newer one that the keywords of the schema need. */
export function draftOf(schema: Readonly<Record<string, unknown>>): Draft {
  const declared = String(schema.$schema ?? '');
  if (declared.includes('2020-12')) return '2020-12';
  const keywords = new Set<string>();
  collectKeywords(schema, keywords);
  if (since2020.some((keyword) => keywords.has(keyword))) return '2020-12';
  return declared.includes('2019-09') || since2019.some((keyword) => keywords.has(keyword)) ? '2019-09' : '07';
}

/** The keys in the values of these keywords are names, not keywords. */
const mapKeywords = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];
/** The values of these keywords are data, not schemas. */
const dataKeywords = ['const', 'enum', 'default', 'examples', 'required', 'dependentRequired'];

function collectKeywords(schema: unknown, keywords: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, inner] of Object.entries(schema)) {
    if (!Array.isArray(schema)) keywords.add(key);
    if (dataKeywords.includes(key)) continue;
    const parts = mapKeywords.includes(key) && typeof inner === 'object' && inner !== null ? Object.values(inner) : [inner];
    for (const part of parts) collectKeywords(part, keywords);
  }
}
