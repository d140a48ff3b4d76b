// Finds the inputs that are secrets. A secret is read from its `ref` and passed only to agents whose configuration refers to it.

import type { Manifest } from './manifest.js';
import { isObject } from './python/pythonJson.js';
import { findVariables } from './runtimeValues.js';

type Dict = Readonly<Record<string, unknown>>;

/** Whether the schema of an input declares a secret. Other tools read such an input as a plain string. */
export function isSecretInput(schema: unknown): schema is Dict {
  return isObject(schema) && schema.format === 'secret-ref';
}

export function secretNames({ interface: { inputs } }: Pick<Manifest, 'interface'>): string[] {
  const properties = isObject(inputs.properties) ? inputs.properties : {};
  return Object.keys(properties).filter((name) => isSecretInput(properties[name]));
}

/** Returns the schema of the inputs without the secrets, which are not part of the inputs of a run. */
export function withoutSecretInputs(manifest: Pick<Manifest, 'interface'>): Dict {
  const { inputs } = manifest.interface;
  const names = new Set(secretNames(manifest));
  if (names.size === 0) return inputs;
  const { properties, required, ...rest } = inputs as { properties: Dict; required?: unknown };
  const remaining = Object.entries(properties).filter(([name]) => !names.has(name));
  const remainingRequired = Array.isArray(required) ? { required: required.filter((name) => !names.has(String(name))) } : {};
  return { ...rest, properties: Object.fromEntries(remaining), ...remainingRequired };
}

/** Returns the secrets that a configuration refers to, as references of Recipe v1. */
export function referencedSecrets(value: unknown, names: readonly string[]): Record<string, string> {
  const referenced = new Set(findVariables(value).map((path) => path.replace(/^inputs?\./, '')));
  return Object.fromEntries(names.filter((name) => referenced.has(name)).map((name) => [name, `{{inputs.${name}}}`]));
}
