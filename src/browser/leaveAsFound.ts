// The end of a run for a page that lives on: what its nodes switched on is taken back.
import { closeNetworkLog } from './networkLog.js';
import { settingsIfAny } from './pageSettings.js';
import type { Stage } from './stage.js';
import { dropTrace } from './traceRecording.js';

/** An app that does not answer any more keeps what it has: there is nobody to tell. */
export async function leaveAsFound(stage: Stage): Promise<void> {
  closeNetworkLog(stage);
  const ended = [settingsIfAny(stage)?.end(), dropTrace(stage)];
  await Promise.all(ended.map((one) => one?.catch(() => undefined)));
}
