// The registry: every action that a host can execute, by name.

import type { Action } from '../actions/action.js';
import { dag } from '../actions/flow/dag.js';
import { each, group } from '../actions/flow/groupAndEach.js';
import { httpRequest } from '../actions/http/request.js';
import { serviceStart } from '../actions/service/start.js';
import { serviceStop } from '../actions/service/stop.js';
import { serviceWaitLog } from '../actions/service/waitLog.js';
import { isExecutable, officialDeclarations, officialVocabulary, type Vocabulary } from '../actions/vocabulary.js';
import { flowSpecActions } from '../formats/flowSpec/actions/flowSpecActions.js';
import { runtimeActions } from '../formats/runtime/actions/runtimeActions.js';
import { exec } from '../formats/template/actions/exec.js';
import { keep } from '../formats/template/actions/keep.js';

export type Registry = ReadonlyMap<string, Action>;

export const extensionActions: readonly Action[] = [
  httpRequest,
  serviceStart,
  serviceStop,
  serviceWaitLog,
  group,
  each,
  dag,
  exec,
  keep,
  ...runtimeActions(),
  ...flowSpecActions(),
];

/** Returns the built-in and project actions whose needed fixtures the host has. Without `fixtures`, returns all actions. */
export function createRegistry(options: { fixtures?: readonly string[]; custom?: readonly Action[] } = {}): Registry {
  const { fixtures, custom = [] } = options;
  const hasFixtures = ({ needs = [] }: Action): boolean =>
    !fixtures || typeof needs === 'function' || needs.every((need) => fixtures.includes(need));
  return new Map(
    [...officialDeclarations.filter(isExecutable), ...extensionActions, ...custom]
      .filter(hasFixtures)
      .map((action) => [action.name, action]),
  );
}

/** Returns the missing fixtures because of which this registry does not have an official action, for an error message. */
export function unmetNeeds(name: string, registry: ReadonlyMap<string, unknown>): readonly string[] {
  const action = registry.has(name) ? undefined : officialVocabulary.get(name);
  return action && isExecutable(action) && typeof action.needs === 'object' ? action.needs : [];
}

/** All built-in actions, including official ones that no host executes. */
export const knownActions: Vocabulary = new Map([
  ...officialVocabulary,
  ...extensionActions.map((action) => [action.name, action] as const),
]);
