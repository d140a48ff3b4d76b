// A thread that matches what would hold up this one. It is started when it is needed first, and ended when a pattern takes too long.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { patternBudgetMs } from '../engine/limits.js';
import { invalidPatternMessage, overBudgetMessage, type PatternAnswer } from '../engine/patterns.js';
import { systemClock } from '../system/clock.js';

/** A text, since a file of its own would have to be found from the sources and from each of the built files. */
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
/** Only for a thread that never gets to work: on a busy machine work of 250 ms takes many times as long. */
const maxWallMs = 120 * patternBudgetMs;

let ready: Promise<Worker> | undefined;
let queue: Promise<unknown> = Promise.resolve();

/** One after the other, so that each has the whole budget. Rejects when no thread can be had. */
export function matchInThread(pattern: string, subject: string): Promise<PatternAnswer> {
  const answer = queue.then(() => matchInWorker(pattern, subject));
  // Who asked hears of it; the next in the queue is not concerned.
  queue = answer.catch(() => undefined);
  return answer;
}

async function matchInWorker(pattern: string, subject: string): Promise<PatternAnswer> {
  const worker = await getWorker();
  worker.ref();
  const [began, cpu] = [systemClock.now(), process.cpuUsage()];
  worker.postMessage({ pattern, subject });
  const reply = await nextReply<{ held: boolean } | { invalid: string }>(worker, patternBudgetMs, () => {
    const { user, system } = process.cpuUsage(cpu);
    return remainingBudgetMs({ wallMs: systemClock.now() - began, cpuMs: (user + system) / 1_000 });
  });
  if ('message' in reply) {
    worker.unref();
    return 'invalid' in reply.message ? { problem: invalidPatternMessage(pattern, reply.message.invalid) } : reply.message;
  }
  await worker.terminate();
  return { problem: overBudgetMessage(pattern, subject.length, reply.failed && `needs more than ${maxMemoryMb} MB`) };
}

/** On a machine that others keep busy, a thread that got no time to work has used up nothing. */
export function remainingBudgetMs({ wallMs, cpuMs }: { wallMs: number; cpuMs: number }): number {
  return wallMs >= maxWallMs ? 0 : Math.max(0, Math.ceil(patternBudgetMs - cpuMs));
}

async function getWorker(): Promise<Worker> {
  const current = await ready?.catch(() => undefined);
  // One that ended has no id any more.
  if (current && current.threadId !== -1) return current;
  ready = startWorker();
  return ready;
}

async function startWorker(): Promise<Worker> {
  const library = createRequire(import.meta.url).resolve('re2js');
  // Flags of the process may load what has no business here, such as a compiler.
  const worker = new Worker(workerSource, {
    ...{ eval: true, execArgv: [], workerData: library, name: 'recipewright patterns' },
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  });
  // A thread that dies between two questions must not take the process with it.
  worker.on('error', () => undefined);
  const reply = await nextReply(worker, maxStartMs);
  if ('message' in reply) {
    worker.unref();
    return worker;
  }
  await worker.terminate();
  throw reply.failed ?? new Error(`The thread was not ready within ${maxStartMs} ms.`);
}

type WorkerReply<T> = { message: T } | { failed?: Error };

/** `leftMs`: what it may take beyond `ms`, asked when that is over. */
function nextReply<T>(worker: Worker, ms: number, leftMs = () => 0): Promise<WorkerReply<T>> {
  return new Promise((resolve) => {
    const reply = (said: WorkerReply<T>): void => {
      withdraw();
      worker.off('message', hear).off('error', fail);
      resolve(said);
    };
    const hear = (message: T): void => reply({ message });
    const fail = (failed: Error): void => reply({ failed });
    // An answer may be waiting while this thread was busy: it is heard before the last timer.
    const look = (): void => {
      const more = leftMs();
      withdraw = systemClock.after(Math.max(1, more), more > 0 ? look : () => reply({}));
    };
    let withdraw = systemClock.after(ms, look);
    worker.on('message', hear).on('error', fail);
  });
}
