// Braces in a runtime recipe are its own templates: written so that nobody takes them for references of Recipe v1.

export function shield(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\\', '\\\\').replaceAll('{{', '{\\{').replaceAll('{{', '{\\{');
  if (Array.isArray(value)) return value.map(shield);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [shield(key), shield(item)]));
}

export function unshield(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\\(.)/gs, '$1');
  if (Array.isArray(value)) return value.map(unshield);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [unshield(key), unshield(item)]));
}
