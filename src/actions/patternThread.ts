// Matches heavy patterns in a thread. The thread starts with the first pattern, and is terminated when a pattern takes too long.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { patternBudgetMs } from '../engine/limits.js';
import { invalidPatternMessage, overBudgetMessage, type PatternAnswer } from '../engine/patterns.js';
import { systemClock } from '../system/clock.js';

/** A string, because a separate file would need a path that is right both in the sources and in each built file. */
const workerSource = `
const { parentPort, workerData } = require('node:worker_threads');
const { RE2JS } = require(workerData);
parentPort.on('message', ({ pattern, subject }) => {
  let compiled;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (thrown) {
    parentPort.postMessage({ invalid: thrown.message });
    return;
  }
  parentPort.postMessage({ held: compiled.test(subject) });
});
parentPort.postMessage('ready');
`;

const maxMemoryMb = 256;
const maxStartMs = 10_000;
/** Ends a thread that gets no CPU time. It is long, because 250 ms of CPU time can take many times as long on a busy machine. */
const maxWallMs = 120 * patternBudgetMs;

let ready: Promise<Worker> | undefined;
let queue: Promise<unknown> = Promise.resolve();

/** Matches one pattern at a time, so that each has the whole budget. Rejects when the thread cannot be started. */
export function matchInThread(pattern: string, subject: string): Promise<PatternAnswer> {
  const answer = queue.then(() => matchInWorker(pattern, subject));
  // The caller gets the error. The next pattern in the queue must not fail with it.
  queue = answer.catch(() => undefined);
  return answer;
}

async function matchInWorker(pattern: string, subject: string): Promise<PatternAnswer> {
  const worker = await getWorker();
  worker.ref();
  const [startedAt, startCpu] = [systemClock.now(), process.cpuUsage()];
  worker.postMessage({ pattern, subject });
  const reply = await nextReply<{ held: boolean } | { invalid: string }>(worker, patternBudgetMs, () => {
    const { user, system } = process.cpuUsage(startCpu);
    return remainingBudgetMs({ wallMs: systemClock.now() - startedAt, cpuMs: (user + system) / 1_000 });
  });
  if ('message' in reply) {
    worker.unref();
    return 'invalid' in reply.message ? { problem: invalidPatternMessage(pattern, reply.message.invalid) } : reply.message;
  }
  await worker.terminate();
  return { problem: overBudgetMessage(pattern, subject.length, reply.error && `needs more than ${maxMemoryMb} MB`) };
}

/** The budget counts CPU time, because a thread on a busy machine may get hardly any of it. */
export function remainingBudgetMs({ wallMs, cpuMs }: { wallMs: number; cpuMs: number }): number {
  return wallMs >= maxWallMs ? 0 : Math.max(0, Math.ceil(patternBudgetMs - cpuMs));
}

async function getWorker(): Promise<Worker> {
  const current = await ready?.catch(() => undefined);
  // The id of an ended thread is -1.
  if (current && current.threadId !== -1) return current;
  ready = startWorker();
  return ready;
}

async function startWorker(): Promise<Worker> {
  const library = createRequire(import.meta.url).resolve('re2js');
  // Without `execArgv: []`, flags of the process could load modules such as a compiler into the thread.
  const worker = new Worker(workerSource, {
    ...{ eval: true, execArgv: [], workerData: library, name: 'recipewright patterns' },
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  });
  // Without a listener, a thread that dies between two patterns would end the process.
  worker.on('error', () => undefined);
  const reply = await nextReply(worker, maxStartMs);
  if ('message' in reply) {
    worker.unref();
    return worker;
  }
  await worker.terminate();
  throw reply.error ?? new Error(`The thread was not ready within ${maxStartMs} ms.`);
}

/** After a timeout there is neither a message nor an error. */
type WorkerReply<T> = { message: T } | { error?: Error };

/** `extraMs` is called after `timeoutMs` and returns how much longer to wait. */
function nextReply<T>(worker: Worker, timeoutMs: number, extraMs = () => 0): Promise<WorkerReply<T>> {
  return new Promise((resolve) => {
    const finish = (reply: WorkerReply<T>): void => {
      cancelTimer();
      worker.off('message', onMessage).off('error', onError);
      resolve(reply);
    };
    const onMessage = (message: T): void => finish({ message });
    const onError = (error: Error): void => finish({ error });
    // If this thread was busy, an answer may have arrived in time. The last timer gives its event a chance to come first.
    const onTimeout = (): void => {
      const moreMs = extraMs();
      cancelTimer = systemClock.after(Math.max(1, moreMs), moreMs > 0 ? onTimeout : () => finish({}));
    };
    let cancelTimer = systemClock.after(timeoutMs, onTimeout);
    worker.on('message', onMessage).on('error', onError);
  });
}
