// The project's config for those who cannot wait: Playwright reads its own config, and declares tests, without a pause.

import { resolve } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { ConfigError, type ProjectConfig } from '../../run/project/projectConfig.js';
import { isFile } from '../../system/files/files.js';
import { configNames } from '../../system/project.js';
import type { ConfigAnswer, ConfigRequest } from './configThread.js';

const longestMs = 30_000;

/** The same code as everywhere, in a thread that is waited for: a config may be TypeScript, and may await. */
export function loadConfigNow(home: string): ProjectConfig {
  if (!configNames.some((name) => isFile(resolve(home, name)))) return {};
  const { port1, port2 } = new MessageChannel();
  const done = new Int32Array(new SharedArrayBuffer(4));
  const workerData: ConfigRequest = { home, port: port2, done };
  const thread = new Worker(new URL('./playwright-config.js', import.meta.url), {
    workerData,
    transferList: [port2],
    execArgv: [],
  });
  try {
    Atomics.wait(done, 0, 0, longestMs);
    const answer = receiveMessageOnPort(port1)?.message as ConfigAnswer | undefined;
    if (answer && 'config' in answer) return answer.config;
    throw new ConfigError(answer?.problem ?? `The config in ${home} was not loaded within ${longestMs / 1_000} seconds.`);
  } finally {
    port1.close();
    void thread.terminate();
  }
}
