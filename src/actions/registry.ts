// Every action a host can execute, by name.
import type { Action } from './action.js';
import { flowSpecActions } from './flowSpec/flowSpecActions.js';
import { runtimeActions } from './runtime/runtimeActions.js';
import { dag } from './rw/dag.js';
import { each } from './rw/each.js';
import { exec } from './rw/exec.js';
import { group } from './rw/group.js';
import { keep } from './template/keep.js';
import { canRun, official, officialActions } from './vocabulary.js';

export type Registry = ReadonlyMap<string, Action>;

export const ours: readonly Action[] = [group, each, dag, exec, keep, ...runtimeActions(), ...flowSpecActions()];

/** The built-in actions whose needs are met, and a project's own. */
export function createRegistry(options: { fixtures?: readonly string[]; custom?: readonly Action[] } = {}): Registry {
  const { fixtures, custom = [] } = options;
  const met = ({ needs = [] }: Action): boolean =>
    !fixtures || typeof needs === 'function' || needs.every((need) => fixtures.includes(need));
  return new Map([...officialActions.filter(canRun), ...ours, ...custom].filter(met).map((action) => [action.name, action]));
}

/** Which fixture an official action lacks in this registry, for a message that helps. */
export function unmetNeeds(name: string, registry: ReadonlyMap<string, unknown>): readonly string[] {
  const action = registry.has(name) ? undefined : official.get(name);
  return action && canRun(action) && typeof action.needs === 'object' ? action.needs : [];
}
