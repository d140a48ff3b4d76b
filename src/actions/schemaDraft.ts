// Which draft of JSON Schema a schema is written in. What a draft does not know it would ignore, and a promise would hold by itself.

export type Draft = '07' | '2019-09' | '2020-12';

/** Draft 2019-09 takes all of draft-07. Draft 2020-12 gives `items` another meaning. */
const since2019 = [
  ...['dependentRequired', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['minContains', 'maxContains', '$recursiveRef', '$recursiveAnchor', '$anchor'],
];
const since2020 = ['prefixItems', '$dynamicRef', '$dynamicAnchor'];

/** What it names, or the newest that one of its keywords is from: who writes it means it. */
export function draftOf(schema: Readonly<Record<string, unknown>>): Draft {
  const named = String(schema.$schema ?? '');
  if (named.includes('2020-12')) return '2020-12';
  const keywords = new Set<string>();
  collect(schema, keywords);
  if (since2020.some((keyword) => keywords.has(keyword))) return '2020-12';
  return named.includes('2019-09') || since2019.some((keyword) => keywords.has(keyword)) ? '2019-09' : '07';
}

/** Their keys are names, not keywords. */
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];
/** What is in them is data. */
const data = ['const', 'enum', 'default', 'examples', 'required', 'dependentRequired'];

function collect(schema: unknown, keywords: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, inner] of Object.entries(schema)) {
    if (!Array.isArray(schema)) keywords.add(key);
    if (data.includes(key)) continue;
    const parts = named.includes(key) && typeof inner === 'object' && inner !== null ? Object.values(inner) : [inner];
    for (const part of parts) collect(part, keywords);
  }
}
