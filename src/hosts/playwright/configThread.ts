// The entry of a worker thread that loads a recipewright.config and sends the config to the waiting main thread.
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
    // Functions cannot be sent to another thread.
    return { config: JSON.parse(JSON.stringify(await loadConfig(home))) as ProjectConfig };
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
