// Defaults go down the tree: a node's own come before those around it.
import { exactName, type Layer } from './templateValues.js';

/** A default that is nothing but `{name}` stands for the default of that name around it, unless the caller gave the value. */
export function inheritDefaults(own: Layer | undefined, around: Layer | undefined, given: Layer): Layer | undefined {
  if (!own) return around;
  const resolved = Object.entries(own).map(([name, value]) => [name, outer(value, around, given)]);
  return { ...around, ...Object.fromEntries(resolved) };
}

function outer(value: unknown, around: Layer | undefined, given: Layer): unknown {
  const wanted = typeof value === 'string' ? exactName(value) : undefined;
  if (wanted === undefined || Object.hasOwn(given, wanted)) return value;
  return around && Object.hasOwn(around, wanted) ? around[wanted] : value;
}

/** The same for a template that is filled later: what the caller gives is not known yet, and will come before every default. */
export function mergeDefaults(own: Layer | undefined, around: Layer): Layer {
  if (!own) return around;
  const merged: Record<string, unknown> = { ...around };
  for (const name of Object.keys(own)) {
    const value = own[name];
    const wanted = typeof value === 'string' ? exactName(value) : undefined;
    if (wanted === name) continue;
    // It means the one around it, which is about to be covered.
    const isCovered = wanted !== undefined && Object.hasOwn(own, wanted) && Object.hasOwn(around, wanted);
    set(merged, name, isCovered ? around[wanted] : value);
  }
  return merged;
}

// `__proto__` is a name like any other.
function set(layer: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(layer, name, { value, enumerable: true, configurable: true, writable: true });
  else layer[name] = value;
}
