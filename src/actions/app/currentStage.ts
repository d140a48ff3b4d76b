import { type RunPages, runPagesOf } from '../../browser/runPages.js';
import type { ActionContext } from '../action.js';
import { pageOf } from '../ui/drive.js';

/** The pages of the run, which nodes before may have changed. */
export function currentStage(context: ActionContext): RunPages {
  return runPagesOf(pageOf(context));
}
