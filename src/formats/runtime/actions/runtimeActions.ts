// The list of the actions that manifests are compiled to.
import type { Action } from '../../../actions/action.js';
import { agentAction } from './agent.js';
import { closeAction } from './close.js';
import { councilAction } from './council.js';
import type { RuntimeServices } from './finishNode.js';
import { humanAction } from './human.js';
import { logicAction } from './logic.js';
import { ManifestInstances } from './manifestInstance.js';
import { itemsAction, mapAction } from './map.js';
import { openAction } from './open.js';
import type { ProjectHandlers } from './projectHandlers.js';
import { subRecipeAction } from './subRecipe.js';

const actionFactories = [
  ...[openAction, closeAction, agentAction, humanAction, logicAction],
  ...[councilAction, mapAction, itemsAction, subRecipeAction],
];

export function runtimeActions(handlers: ProjectHandlers = {}): Action[] {
  const runtime: RuntimeServices = { handlers, instances: new ManifestInstances() };
  return actionFactories.map((createAction) => createAction(runtime));
}
