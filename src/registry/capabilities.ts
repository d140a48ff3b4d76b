// The capabilities of a host: the built-in actions, and everything that a project's setup module adds to them.

import type { Action } from '../actions/action.js';
import { officialVocabulary } from '../actions/vocabulary.js';
import { omitUndefined } from '../document/omitUndefined.js';
import type { CustomOperator } from '../engine/operators.js';
import { flowSpecActions } from '../formats/flowSpec/actions/flowSpecActions.js';
import type { FlowSettings } from '../formats/flowSpec/settings.js';
import type { ProjectHandlers } from '../formats/runtime/actions/projectHandlers.js';
import { runtimeActions } from '../formats/runtime/actions/runtimeActions.js';
import { createPreConditionAction } from './preConditionAction.js';
import { createRegistry, type Registry } from './registry.js';
import type { Precondition, Setup, StateRef } from './setup.js';

export type Capabilities = {
  registry: Registry;
  preconditions: ReadonlyMap<string, Precondition>;
  operators: ReadonlyMap<string, CustomOperator>;
  stateRefs: ReadonlyMap<string, StateRef>;
  /** The names of the project's actions. */
  ownActions: readonly string[];
};

/** A mistake in a setup module. */
export class SetupError extends Error {}

export type CapabilityOptions = {
  fixtures?: readonly string[];
  setup?: Setup;
  /** Settings of the host and the config for runtime recipes. */
  runtime?: Pick<ProjectHandlers, 'python' | 'openStateDir'>;
  /** Settings of the config for flow-specs. */
  flowSpecs?: FlowSettings;
};

export function createCapabilities({ fixtures, setup = {}, runtime = {}, flowSpecs = {} }: CapabilityOptions = {}): Capabilities {
  const { actions = [], preconditions = [], operators = [], stateRefs = [] } = setup;
  for (const { name } of actions) {
    requireNamespace('action', name);
    if (officialVocabulary.has(name))
      throw new SetupError(`The setup module cannot define ${JSON.stringify(name)}: it is an official action.`);
  }
  for (const { name } of operators) requireNamespace('operator', name);
  for (const { name } of stateRefs)
    if (name.trim() === '')
      throw new SetupError(
        'A state ref of the setup module has no name. Give it a name, such as "cart" for the source "state:cart".',
      );
  const preconditionsById = indexByName('precondition', preconditions, ({ id }) => id);
  const projectActions = [...indexByName('action', actions, ({ name }) => name).values()];
  const custom: Action[] = [
    ...projectActions,
    ...runtimeActions(collectHandlers(setup, runtime)),
    ...flowSpecActions({ ...flowSpecs, ...omitUndefined({ resolver: setup.targetResolver }) }),
  ];
  if (preconditionsById.size > 0) custom.push(createPreConditionAction(preconditionsById));
  return {
    registry: createRegistry({ custom, ...omitUndefined({ fixtures }) }),
    preconditions: preconditionsById,
    operators: indexByName('operator', operators, ({ name }) => name),
    stateRefs: indexByName('state ref', stateRefs, ({ name }) => name),
    ownActions: projectActions.map(({ name }) => name),
  };
}

function collectHandlers(
  { agents = [], logic = [], routers = [] }: Setup,
  runtime: NonNullable<CapabilityOptions['runtime']>,
): ProjectHandlers {
  const unique = <T extends { name: string }>(kind: string, items: readonly T[]): T[] => [
    ...indexByName(kind, items, ({ name }) => name).values(),
  ];
  return { agents: unique('agent', agents), logic: unique('logic', logic), routers: unique('router', routers), ...runtime };
}

/** The declared names, for the rules. */
export function capabilityNames({ preconditions, operators, stateRefs }: Capabilities) {
  return {
    preconditions: new Set(preconditions.keys()),
    operators: new Set(operators.keys()),
    stateRefs: new Set(stateRefs.keys()),
  };
}

function requireNamespace(kind: string, name: string): void {
  if (/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/.test(name)) {
    if (!name.startsWith('rw.')) return;
    throw new SetupError(
      `The ${kind} ${JSON.stringify(name)} is in the namespace "rw", which is reserved for recipewright. Choose another one.`,
    );
  }
  throw new SetupError(`The ${kind} ${JSON.stringify(name)} of the setup module needs a namespace, such as "shop.${name}".`);
}

function indexByName<T>(kind: string, items: readonly T[], nameOf: (item: T) => string): Map<string, T> {
  const found = new Map<string, T>();
  for (const item of items) {
    const name = nameOf(item);
    if (found.has(name)) throw new SetupError(`The setup module defines the ${kind} ${JSON.stringify(name)} twice.`);
    found.set(name, item);
  }
  return found;
}
