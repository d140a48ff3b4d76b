// What Python would make of a JSON value: its truth, its text, whether two are equal, which comes first.

export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** `str(value)` */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : reprOf(value);
}

function reprOf(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(reprOf).join(', ')}]`;
  if (typeof value !== 'object') return String(value);
  const members = Object.entries(value).map(([key, item]) => `${quoted(key)}: ${reprOf(item)}`);
  return `{${members.join(', ')}}`;
}

function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return text.includes("'") && !text.includes('"') ? `"${inner}"` : `'${inner.replaceAll("'", "\\'")}'`;
}

/** True is 1 and False is 0. */
export function areEqual(a: unknown, b: unknown): boolean {
  const [left, right] = [asNumber(a), asNumber(b)];
  if (left !== undefined || right !== undefined) return left === right;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return (a ?? null) === (b ?? null);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(other, key) && areEqual(one[key], other[key]));
}

/** Negative when `a` comes first; undefined where Python would refuse to compare. */
export function order(a: unknown, b: unknown): number | undefined {
  const [left, right] = [asNumber(a), asNumber(b)];
  if (left !== undefined && right !== undefined) return left - right;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b);
  return undefined;
}

/** `item in container`; undefined where Python would refuse to look. */
export function isIn(item: unknown, container: unknown): boolean | undefined {
  if (Array.isArray(container)) return container.some((held) => areEqual(held, item));
  if (typeof container === 'string') return typeof item === 'string' ? container.includes(item) : undefined;
  if (typeof container === 'object' && container !== null) return typeof item === 'string' && Object.hasOwn(container, item);
  return undefined;
}

export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'boolean' ? Number(value) : undefined;
}
