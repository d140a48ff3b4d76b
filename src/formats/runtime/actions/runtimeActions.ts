// The actions that manifests are compiled to, with what a project has registered for them.
import type { Action } from '../../../actions/action.js';
import { agentAction } from './agent.js';
import { closeAction } from './close.js';
import type { Runtime } from './conclude.js';
import { councilAction } from './council.js';
import { humanAction } from './human.js';
import { Instances } from './instance.js';
import { logicAction } from './logic.js';
import { itemsAction, mapAction } from './map.js';
import { openAction } from './open.js';
import type { Registered } from './registered.js';
import { subRecipeAction } from './subRecipe.js';

const makers = [
  ...[openAction, closeAction, agentAction, humanAction, logicAction],
  ...[councilAction, mapAction, itemsAction, subRecipeAction],
];

export function runtimeActions(registered: Registered = {}): Action[] {
  const runtime: Runtime = { registered, instances: new Instances() };
  return makers.map((make) => make(runtime));
}
