// Masks every key, text and number inside of a JSON value, however deep it is.
export type MaskScalar = { text(text: string): string; number(value: number): number | string };

/** The same value when nothing in it has to be hidden. */
export function maskJson(value: unknown, mask: MaskScalar): unknown {
  return holdsSecret(value, mask) ? copy(value, mask) : value;
}

function holdsSecret(value: unknown, mask: MaskScalar): boolean {
  const seen = new Set<object>();
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (isContainer(next) && seen.has(next)) continue;
    if (isContainer(next)) seen.add(next);
    const printed = asPrinted(next);
    if (!isContainer(printed)) {
      if (!Object.is(scalar(printed, mask), printed)) return true;
      continue;
    }
    for (const [key, inner] of Object.entries(printed)) {
      if (!Array.isArray(printed) && mask.text(key) !== key) return true;
      open.push(inner);
    }
  }
  return false;
}

// Each container is made before what it holds, so that depth costs no stack and a circle stays one.
function copy(value: unknown, mask: MaskScalar): unknown {
  const made = new Map<object, unknown>();
  const open: [from: object, into: object][] = [];
  const of = (inner: unknown): unknown => {
    if (!isContainer(inner)) return scalar(inner, mask);
    if (made.has(inner)) return made.get(inner);
    const from = asPrinted(inner);
    const into = !isContainer(from) ? scalar(from, mask) : Array.isArray(from) ? new Array(from.length) : {};
    made.set(inner, into);
    if (isContainer(from)) open.push([from, into as object]);
    return into;
  };
  const root = of(value);
  for (let next = open.pop(); next; next = open.pop()) {
    const [from, into] = next;
    for (const [key, inner] of Object.entries(from)) put(into, Array.isArray(from) ? key : mask.text(key), of(inner));
  }
  return root;
}

/** What `JSON.stringify` takes for the value: a date or a URL prints itself. */
function asPrinted(value: unknown): unknown {
  if (!isContainer(value) || !('toJSON' in value) || typeof value.toJSON !== 'function') return value;
  try {
    return value.toJSON();
  } catch {
    // Whatever its author throws; nothing can be printed of it.
    return undefined;
  }
}

// Defined, not assigned: a key may be `__proto__`. Two keys may get one mask, and neither may be lost.
function put(into: object, key: string, value: unknown): void {
  let free = key;
  for (let count = 2; Object.hasOwn(into, free); count++) free = `${key} (${count})`;
  Object.defineProperty(into, free, { value, writable: true, enumerable: true, configurable: true });
}

function scalar(value: unknown, mask: MaskScalar): unknown {
  if (typeof value === 'string') return mask.text(value);
  return typeof value === 'number' ? mask.number(value) : value;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
