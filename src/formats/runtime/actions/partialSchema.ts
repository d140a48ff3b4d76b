// A schema of the state as it counts while the topology runs: keys that must be there may still come, whatever part of the schema
// asks for them.

type JsonSchema = Readonly<Record<string, unknown>>;

/** These speak of the state as a whole, and what they refuse now may be right once the rest is there. */
const finalOnlyKeywords = [
  ...['required', 'minProperties', 'dependentRequired', 'dependentSchemas', 'dependencies', 'unevaluatedProperties'],
  ...['if', 'then', 'else', 'not', 'const', 'enum', '$dynamicRef', '$recursiveRef'],
];

/** What is inside of a key is given by one node and is whole from the start, so nothing is taken out there. */
export function partialSchema(
  schema: JsonSchema,
  root: JsonSchema = schema,
  seen: ReadonlySet<unknown> = new Set([schema]),
): JsonSchema {
  const keywords = Object.entries(schema).filter(([key]) => !finalOnlyKeywords.includes(key) && key !== '$ref');
  const { allOf, anyOf, oneOf, ...rest } = Object.fromEntries(keywords) as JsonSchema;
  const { $ref } = schema;
  const inside = (part: unknown): unknown => (isSchemaObject(part) ? partialSchema(part, root, new Set([...seen, part])) : part);
  const target = typeof $ref === 'string' ? resolveLocalRef($ref, root) : undefined;
  // One that leads back to where it comes from asks for nothing more.
  const linked = isSchemaObject(target) && !seen.has(target) ? [inside(target)] : [];
  const all = [...(Array.isArray(allOf) ? allOf.map(inside) : []), ...linked];
  // Without what told them apart, more than one of them may fit.
  const choices = [anyOf, oneOf].filter(Array.isArray).map((some) => ({ anyOf: some.map(inside) }));
  const parts = [...all, ...choices];
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
