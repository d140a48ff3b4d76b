// Reduces the schema of the state for checks while the topology runs, when a later node may still set a required key.

type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords about the complete state. They could reject a state that becomes valid when more nodes have run. */
const finalOnlyKeywords = [
  ...['required', 'minProperties', 'dependentRequired', 'dependentSchemas', 'dependencies', 'unevaluatedProperties'],
  ...['if', 'then', 'else', 'not', 'const', 'enum', '$dynamicRef', '$recursiveRef'],
];

/**
 * Removes these keywords from the schema of the state. The schemas of its keys stay complete, because one node sets a whole key
 * at once.
 */
export function partialSchema(
  schema: JsonSchema,
  root: JsonSchema = schema,
  ancestors: ReadonlySet<unknown> = new Set([schema]),
): JsonSchema {
  const keywords = Object.entries(schema).filter(([key]) => !finalOnlyKeywords.includes(key) && key !== '$ref');
  const { allOf, anyOf, oneOf, ...rest } = Object.fromEntries(keywords) as JsonSchema;
  const { $ref } = schema;
  const toPartial = (part: unknown): unknown =>
    isSchemaObject(part) ? partialSchema(part, root, new Set([...ancestors, part])) : part;
  const target = typeof $ref === 'string' ? resolveLocalRef($ref, root) : undefined;
  // A reference to an ancestor adds no more conditions.
  const referenced = isSchemaObject(target) && !ancestors.has(target) ? [toPartial(target)] : [];
  const conditions = [...(Array.isArray(allOf) ? allOf.map(toPartial) : []), ...referenced];
  // oneOf becomes anyOf: without the removed keywords, a state can match several of its schemas.
  const choices = [anyOf, oneOf].filter(Array.isArray).map((options) => ({ anyOf: options.map(toPartial) }));
  const parts = [...conditions, ...choices];
  return {
    ...rest,
    ...($ref !== undefined && !isSchemaObject(target) ? { $ref } : {}),
    ...(parts.length > 0 ? { allOf: parts } : {}),
  };
}

function resolveLocalRef(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith('#')) return undefined;
  const keys = ref.slice(1).split('/').slice(1);
  return keys.reduce<unknown>((at, key) => {
    const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as JsonSchema)[name] : undefined;
  }, root);
}

function isSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
