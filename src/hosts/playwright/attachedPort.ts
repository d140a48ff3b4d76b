// The debugging port of the running app that recipes attach to.
import { dirname, join } from 'node:path';
import type { TestInfo } from '@playwright/test';
import { type InputSources, inputVariableOf } from '../../run/inputs/resolveInputs.js';
import { systemClock } from '../../system/clock.js';
import { acquireLock } from '../../system/files/lockFile.js';
import { portInputName } from '../shared/attachedApp.js';
import { findCacheFolder } from './hostProject.js';

/** The variable of the input {{cdp_port}}, which recipes can refer to. A port in the environment applies to all projects. */
const portVariable = inputVariableOf(portInputName);

/** Ports by project file. Workers inherit them, because their config may choose another port when it is loaded again. */
const projectPortsVariable = 'RECIPEWRIGHT_CDP_PORTS';

/** Set once: a worker runs the tests of one project only. */
let workerPort: number | undefined;

/** The port that tests of this process attach to. */
export function findAttachedPort(env: NodeJS.ProcessEnv = process.env): number | undefined {
  const text = env[portVariable];
  if (text === undefined) return workerPort;
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

export function setProjectPort(projectFile: string, port: number | undefined): void {
  process.env[projectPortsVariable] = JSON.stringify({ ...readProjectPorts(), [projectFile]: port });
}

/** The port of this project alone. A port from the environment takes precedence over it. */
export function findProjectPort(projectFile: string): number | undefined {
  return process.env[portVariable] === undefined ? readProjectPorts()[projectFile] : undefined;
}

export function setWorkerPort(port: number | undefined): void {
  if (process.env.TEST_WORKER_INDEX !== undefined) workerPort = port;
}

/** Returns the port as a string for the input `{{cdp_port}}`, because a recipe may declare that input as a string. */
export function createPortInput(port: number | undefined): Pick<InputSources, 'cli'> {
  return port === undefined ? {} : { cli: new Map([[portInputName, String(port)]]) };
}

function readProjectPorts(): Record<string, number> {
  return JSON.parse(process.env[projectPortsVariable] ?? '{}') as Record<string, number>;
}

// Tests in one app take turns. Otherwise, an action of one test could fulfil an assertion of another.
const pollMs = 50;

/** Waits until no test of any project or other run uses the app. Returns a function that ends the turn. */
export async function takeAppTurn(port: number, { config: { configFile, rootDir } }: TestInfo): Promise<() => void> {
  const cacheFolder = dirname(findCacheFolder(configFile ?? join(rootDir, 'playwright.config.ts'), 'app'));
  const lock = join(cacheFolder, `app-${port}.lock`);
  for (;;) {
    const release = acquireLock(lock);
    if (release) return release;
    await new Promise<void>((resolve) => systemClock.after(pollMs, resolve));
  }
}
