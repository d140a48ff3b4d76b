// Replaces a directory by a link and restores it, again and again, in another thread.
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
  /** The target of the link. */
  link: string;
  /** The path of the directory while the link has its place. A number is appended. */
  aside: string;
};

/** Starts to swap, and stops at the end of the test. */
export async function swapWithLink(swap: Swap): Promise<void> {
  const worker = new Worker(swapper, { eval: true, workerData: swap });
  onTestFinished(async () => void (await worker.terminate()));
  await new Promise((resolve) => worker.once('message', resolve));
}
