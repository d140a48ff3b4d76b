// The actions that flow-specs are compiled to, with what the project says about its flows.
import type { Action } from '../../../actions/action.js';
import { actAction } from './act.js';
import { assertAction } from './assert.js';
import { closeAction } from './close.js';
import { expectAction } from './expect.js';
import { extractAction } from './extract.js';
import { Flows } from './flowRun.js';
import { gotoAction } from './goto.js';
import { gradeAction } from './grade.js';
import { openAction } from './open.js';
import { type FlowSettings, settle } from './settings.js';
import { waitAction } from './wait.js';

const makers = [
  ...[openAction, gotoAction, actAction, expectAction, waitAction],
  ...[extractAction, assertAction, gradeAction, closeAction],
];

export function flowSpecActions(settings: FlowSettings = {}): Action[] {
  const flows = new Flows(settle(settings));
  return makers.map((make) => make(flows));
}
