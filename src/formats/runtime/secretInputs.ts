// Inputs that are secrets: read where their `ref` says, handed to the agents whose configuration names them, and to nobody else.

import type { Manifest } from './manifest.js';
import { isObject } from './python/pythonJson.js';
import { findVariables } from './runtimeValues.js';

type Dict = Readonly<Record<string, unknown>>;

/** To other readers of the manifest such a property is a text. */
export function isSecretInput(schema: unknown): schema is Dict {
  return isObject(schema) && schema.format === 'secret-ref';
}

export function secretNames({ interface: { inputs } }: Pick<Manifest, 'interface'>): string[] {
  const properties = isObject(inputs.properties) ? inputs.properties : {};
  return Object.keys(properties).filter((name) => isSecretInput(properties[name]));
}

/** What the values of a run are held to: those of secrets are not among them. */
export function withoutSecretInputs(manifest: Pick<Manifest, 'interface'>): Dict {
  const { inputs } = manifest.interface;
  const names = new Set(secretNames(manifest));
  if (names.size === 0) return inputs;
  const { properties, required, ...rest } = inputs as { properties: Dict; required?: unknown };
  const kept = Object.entries(properties).filter(([name]) => !names.has(name));
  const needed = Array.isArray(required) ? { required: required.filter((name) => !names.has(String(name))) } : {};
  return { ...rest, properties: Object.fromEntries(kept), ...needed };
}

/** The secrets that a configuration names, as references of Recipe v1. */
export function referencedSecrets(value: unknown, names: readonly string[]): Record<string, string> {
  const referenced = new Set(findVariables(value).map((path) => path.replace(/^inputs?\./, '')));
  return Object.fromEntries(names.filter((name) => referenced.has(name)).map((name) => [name, `{{inputs.${name}}}`]));
}
