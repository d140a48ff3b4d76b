// Escapes the templates of runtime recipes, so that Recipe v1 does not read their braces as references.

export function escapeBraces(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\\', '\\\\').replaceAll('{{', '{\\{').replaceAll('{{', '{\\{');
  if (Array.isArray(value)) return value.map(escapeBraces);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [escapeBraces(key), escapeBraces(item)]));
}

export function unescapeBraces(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\\(.)/gs, '$1');
  if (Array.isArray(value)) return value.map(unescapeBraces);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [unescapeBraces(key), unescapeBraces(item)]));
}
