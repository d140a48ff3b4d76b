// The action manifest of this host, generated from its registry: what stands in it can be executed, and it cannot drift.

import type { Action, Declaration } from '../../actions/action.js';
import { officialVocabulary } from '../../actions/vocabulary.js';
import type { Registry } from '../registry.js';
import { toJsonSchema } from '../toJsonSchema.js';
import type { ClassicManifest, CustomAction } from './model.js';

/** What a project declares beside its actions. */
export type SetupDeclarations = {
  preconditions?: readonly { id: string; description: string; failure_kind?: string }[];
  operators?: readonly { name: string; description?: string }[];
  stateRefs?: readonly { name: string; description?: string }[];
};

export function toManifest(registry: Registry, setup: SetupDeclarations = {}): ClassicManifest {
  const actions = [...registry.values()].filter(({ internal }) => !internal);
  const own = actions.filter(({ name }) => officialVocabulary.has(name));
  const custom = actions.filter(({ name }) => !officialVocabulary.has(name));
  return {
    runner_protocol_version: 1,
    action_registry_version: 1,
    supported_official_actions: own.map(({ name }) => name),
    action_metadata: Object.fromEntries(own.map((action) => [action.name, describe(action)])),
    custom_actions: custom.map(toCustomEntry),
    custom_assertion_operators: [...(setup.operators ?? [])],
    state_refs: [...(setup.stateRefs ?? [])],
    pre_conditions: [...(setup.preconditions ?? [])],
  };
}

function toCustomEntry(action: Action): CustomAction {
  return { name: action.name, owner: action.name.slice(0, action.name.lastIndexOf('.')), ...describe(action) };
}

type ActionDescription = Omit<CustomAction, 'name' | 'owner'>;

function describe({
  description,
  examples,
  effect,
  asserts = false,
  captures,
  needs,
  secretFields,
  schema,
}: Declaration): ActionDescription {
  return {
    description,
    schema: fieldsOf(schema),
    examples: examples.map(({ description: said, node }) => ({
      description: said,
      node: { ...node, action: String(node.action) },
    })),
    effect: typeof effect === 'function' ? 'varies' : effect,
    asserts: typeof asserts === 'function' ? 'varies' : asserts,
    captures: captures ?? false,
    needs: typeof needs === 'function' ? [] : [...(needs ?? [])],
    secret_fields: [...(secretFields ?? [])],
  };
}

function fieldsOf(model: Declaration['schema']): Record<string, unknown> {
  const { $schema: _, ...schema } = toJsonSchema(model);
  return schema;
}
