// A thread of its own that loads a project's config and hands it over.
import { type MessagePort, workerData } from 'node:worker_threads';
import { loadConfig, type ProjectConfig } from '../../run/project/projectConfig.js';

export type ConfigRequest = { home: string; port: MessagePort; done: Int32Array };
export type ConfigAnswer = { config: ProjectConfig } | { problem: string };

const { home, port, done } = workerData as ConfigRequest;
void loadAnswer().then((config) => {
  port.postMessage(config);
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
});

async function loadAnswer(): Promise<ConfigAnswer> {
  try {
    // What cannot be written down cannot be handed over.
    return { config: JSON.parse(JSON.stringify(await loadConfig(home))) as ProjectConfig };
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
