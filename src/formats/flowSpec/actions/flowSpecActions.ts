// The list of the actions that flow-specs are compiled to.
import type { Action } from '../../../actions/action.js';
import { FlowRuns } from '../run/flowRun.js';
import { type FlowSettings, resolveSettings } from '../settings.js';
import { actAction } from './act.js';
import { assertAction } from './assert.js';
import { closeAction } from './close.js';
import { expectAction } from './expect.js';
import { extractAction } from './extract.js';
import { gotoAction } from './goto.js';
import { gradeAction } from './grade.js';
import { openAction } from './open.js';
import { waitAction } from './wait.js';

const actionFactories = [
  openAction,
  gotoAction,
  actAction,
  expectAction,
  waitAction,
  extractAction,
  assertAction,
  gradeAction,
  closeAction,
];

export function flowSpecActions(settings: FlowSettings = {}): Action[] {
  const flows = new FlowRuns(resolveSettings(settings));
  return actionFactories.map((createAction) => createAction(flows));
}
