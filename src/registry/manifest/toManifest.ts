// Generates the action manifest of a host from its registry, so that the manifest lists exactly the actions that can run.

import type { Action, Declaration } from '../../actions/action.js';
import { officialVocabulary } from '../../actions/vocabulary.js';
import type { Registry } from '../registry.js';
import { toJsonSchema } from '../toJsonSchema.js';
import type { ClassicManifest, CustomAction } from './actionManifestModel.js';

/** The declarations of a project other than its actions. */
export type SetupDeclarations = {
  preconditions?: readonly { id: string; description: string; failure_kind?: string }[];
  operators?: readonly { name: string; description?: string }[];
  stateRefs?: readonly { name: string; description?: string }[];
};

export function toManifest(registry: Registry, setup: SetupDeclarations = {}): ClassicManifest {
  const actions = [...registry.values()].filter(({ internal }) => !internal);
  const official = actions.filter(({ name }) => officialVocabulary.has(name));
  const custom = actions.filter(({ name }) => !officialVocabulary.has(name));
  return {
    runner_protocol_version: 1,
    action_registry_version: 1,
    supported_official_actions: official.map(({ name }) => name),
    action_metadata: Object.fromEntries(official.map((action) => [action.name, describe(action)])),
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

function describe(declaration: Declaration): ActionDescription {
  const { effect, asserts = false, captures, needs, secretFields } = declaration;
  return {
    description: declaration.description,
    schema: fieldsOf(declaration.schema),
    examples: declaration.examples.map(({ description, node }) => ({
      description,
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
