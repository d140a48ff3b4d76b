// Every action a host can execute, by name.
import type { Action } from './action.js';
import { assertOutput } from './core/assertOutput.js';
import { call } from './core/call.js';
import { command } from './core/command.js';
import { end } from './core/end.js';
import { switchAction } from './core/switch.js';
import { dag } from './rw/dag.js';
import { each } from './rw/each.js';
import { group } from './rw/group.js';
import { navigate } from './ui/navigate.js';
import { press } from './ui/press.js';
import { screenshot } from './ui/screenshot.js';
import { waitFor } from './ui/waitFor.js';

export type Registry = ReadonlyMap<string, Action>;

const official: readonly Action[] = [command, assertOutput, switchAction, call, end, navigate, press, waitFor, screenshot];
const ours: readonly Action[] = [group, each, dag];

/** The built-in actions whose needs are met, and a project's own. */
export function createRegistry(options: { fixtures?: readonly string[]; custom?: readonly Action[] } = {}): Registry {
  const { fixtures, custom = [] } = options;
  for (const { name } of custom) {
    if (!name.includes('.'))
      throw new Error(`The custom action ${JSON.stringify(name)} needs a namespace, such as "shop.${name}".`);
  }
  const met = (action: Action): boolean => !fixtures || (action.needs ?? []).every((need) => fixtures.includes(need));
  return new Map([...official, ...ours, ...custom].filter(met).map((action) => [action.name, action]));
}

/** Which fixture an official action lacks in this registry, for a message that helps. */
export function unmetNeeds(name: string, registry: Registry): readonly string[] {
  if (registry.has(name)) return [];
  return [...official, ...ours].find((action) => action.name === name)?.needs ?? [];
}
