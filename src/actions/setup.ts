// The one setup module of a project, the same for every host.
import type { Action } from './action.js';

export type Setup = { actions?: readonly Action[] };

export function defineSetup(setup: Setup): Setup {
  return setup;
}
