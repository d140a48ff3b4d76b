// The 31 official actions of the protocol (spec §6), including those that this version cannot execute.
import type { Action, Declaration } from './action.js';
import { hud } from './app/hud.js';
import { lifecycle } from './app/lifecycle.js';
import { status } from './app/status.js';
import { trace as appTrace } from './app/trace.js';
import { emulation } from './cdp/emulation.js';
import { metrics } from './cdp/metrics.js';
import { network } from './cdp/network.js';
import { storage } from './cdp/storage.js';
import { target } from './cdp/target.js';
import { trace as cdpTrace } from './cdp/trace.js';
import { assertExitCode } from './core/assertExitCode.js';
import { assertFile } from './core/assertFile.js';
import { assertJson } from './core/assertJson.js';
import { assertOutput } from './core/assertOutput.js';
import { command } from './core/command.js';
import { indexArtifacts } from './core/indexArtifacts.js';
import { stateRead } from './core/stateRead.js';
import { wait } from './core/wait.js';
import { watchLogs } from './core/watchLogs.js';
import { call } from './flow/call.js';
import { end } from './flow/end.js';
import { manual } from './flow/manual.js';
import { switchAction } from './flow/switch.js';
import { gesture } from './ui/gesture.js';
import { keyPress } from './ui/keyPress.js';
import { navigate } from './ui/navigate.js';
import { press } from './ui/press.js';
import { screenshot } from './ui/screenshot.js';
import { scroll } from './ui/scroll.js';
import { setInput } from './ui/setInput.js';
import { waitFor } from './ui/waitFor.js';

const core = [command, wait, assertFile, assertJson, assertExitCode, assertOutput, stateRead, watchLogs, indexArtifacts];
const flow = [call, switchAction, manual, end];
const ui = [navigate, press, keyPress, setInput, scroll, gesture, waitFor, screenshot];
const app = [status, lifecycle, hud, appTrace];
const cdp = [target, storage, network, emulation, metrics, cdpTrace];

export type Vocabulary = ReadonlyMap<string, Declaration>;

export const officialDeclarations: readonly Declaration[] = [...core, ...flow, ...ui, ...app, ...cdp];

export const officialVocabulary: Vocabulary = new Map(officialDeclarations.map((action) => [action.name, action]));

export function isExecutable(declaration: Declaration): declaration is Action {
  return 'run' in declaration;
}
