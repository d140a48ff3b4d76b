// The debugging port of an app that runs already, when recipes are to run in it.
import { type InputSources, variableOf } from '../../run/inputs/resolveInputs.js';
import { portInput } from '../shared/portInput.js';

/** It is an input like any other, so that recipes can name it as {{cdp_port}}. Whoever sets it outside means all projects. */
const variable = variableOf(portInput);

/** Ports by project file. Workers inherit it: a config that is loaded again there may say another port. */
const ofProjects = 'RECIPEWRIGHT_CDP_PORTS';

/** A worker runs the tests of one project only. */
let ofThisWorker: number | undefined;

/** The port that tests of this process attach to. */
export function attachedPort(env: NodeJS.ProcessEnv = process.env): number | undefined {
  const said = env[variable];
  if (said === undefined) return ofThisWorker;
  const port = Number(said);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

/** What the config says of one project. */
export function attachTo(projectFile: string, port: number | undefined): void {
  process.env[ofProjects] = JSON.stringify({ ...portsByProject(), [projectFile]: port });
}

/** The port that this project alone attaches to; whoever set one outside knows better. */
export function portOf(projectFile: string): number | undefined {
  return process.env[variable] === undefined ? portsByProject()[projectFile] : undefined;
}

/** From now on this process runs tests that attach to it. */
export function workAt(port: number | undefined): void {
  if (process.env.TEST_WORKER_INDEX !== undefined) ofThisWorker = port;
}

/** The port is also what `{{cdp_port}}` says. It is text, as a recipe may declare it as such. */
export function givenPort(port: number | undefined): Pick<InputSources, 'cli'> {
  return port === undefined ? {} : { cli: new Map([[portInput, String(port)]]) };
}

function portsByProject(): Record<string, number> {
  return JSON.parse(process.env[ofProjects] ?? '{}') as Record<string, number>;
}
