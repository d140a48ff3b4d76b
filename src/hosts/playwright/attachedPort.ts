// The debugging port of an app that runs already, when recipes are to run in it.

import { dirname, join } from 'node:path';
import type { TestInfo } from '@playwright/test';
import { type InputSources, variableOf } from '../../run/inputs/resolveInputs.js';
import { systemClock } from '../../system/clock.js';
import { acquireLock } from '../../system/files/lockFile.js';
import { portInputName } from '../shared/attachedApp.js';
import { findCacheFolder } from './hostProject.js';

/** It is an input like any other, so that recipes can name it as {{cdp_port}}. Whoever sets it outside means all projects. */
const portVariable = variableOf(portInputName);

/** Ports by project file. Workers inherit it: a config that is loaded again there may say another port. */
const projectPortsVariable = 'RECIPEWRIGHT_CDP_PORTS';

/** A worker runs the tests of one project only. */
let workerPort: number | undefined;

/** The port that tests of this process attach to. */
export function findAttachedPort(env: NodeJS.ProcessEnv = process.env): number | undefined {
  const text = env[portVariable];
  if (text === undefined) return workerPort;
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

/** What the config says of one project. */
export function setProjectPort(projectFile: string, port: number | undefined): void {
  process.env[projectPortsVariable] = JSON.stringify({ ...readProjectPorts(), [projectFile]: port });
}

/** The port that this project alone attaches to; whoever set one outside knows better. */
export function findProjectPort(projectFile: string): number | undefined {
  return process.env[portVariable] === undefined ? readProjectPorts()[projectFile] : undefined;
}

/** From now on this process runs tests that attach to it. */
export function setWorkerPort(port: number | undefined): void {
  if (process.env.TEST_WORKER_INDEX !== undefined) workerPort = port;
}

/** The port is also what `{{cdp_port}}` says. It is text, as a recipe may declare it as such. */
export function createPortInput(port: number | undefined): Pick<InputSources, 'cli'> {
  return port === undefined ? {} : { cli: new Map([[portInputName, String(port)]]) };
}

function readProjectPorts(): Record<string, number> {
  return JSON.parse(process.env[projectPortsVariable] ?? '{}') as Record<string, number>;
}

// Tests in one app take turns: what one does in its page must never be the proof of another.

const pollMs = 50;

/** One project has one worker; other projects, or another run of these tests, may mean the same app. Gives what ends the turn. */
export async function takeAppTurn(port: number, { config: { configFile, rootDir } }: TestInfo): Promise<() => void> {
  const caches = dirname(findCacheFolder(configFile ?? join(rootDir, 'playwright.config.ts'), 'app'));
  const lock = join(caches, `app-${port}.lock`);
  for (;;) {
    const release = acquireLock(lock);
    if (release) return release;
    await new Promise<void>((resolve) => systemClock.after(pollMs, resolve));
  }
}
