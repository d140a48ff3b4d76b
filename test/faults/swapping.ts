// Puts a link in place of a directory and takes it away again, as fast as it can, in a thread of its own.
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';

const swapper = `
  const { workerData: { dir, link, aside }, parentPort } = require('node:worker_threads');
  const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
  parentPort.postMessage('ready');
  for (let count = 0; ; count++) {
    try { renameSync(dir, aside + count); } catch {}
    try { symlinkSync(link, dir); unlinkSync(dir); } catch {}
    try { renameSync(aside + count, dir); } catch {}
  }`;

export type Swap = {
  dir: string;
  /** Where the link leads. */
  link: string;
  /** What the directory is called meanwhile, but for a number. */
  aside: string;
};

/** Until the test is over. */
export async function swapping(swap: Swap): Promise<void> {
  const worker = new Worker(swapper, { eval: true, workerData: swap });
  onTestFinished(async () => void (await worker.terminate()));
  await new Promise((resolve) => worker.once('message', resolve));
}
