// A thread that matches what would hold up this one. It is started when it is needed first, and ended when a pattern takes too long.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { patternBudgetMs } from '../engine/limits.js';
import { invalidPatternMessage, overBudgetMessage, type PatternAnswer } from '../engine/patterns.js';
import { systemClock } from '../system/clock.js';

/** A text, since a file of its own would have to be found from the sources and from each of the built files. */
const program = `
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

const mostMb = 256;
const mostStartMs = 10_000;
/** Only for a thread that never gets to work: on a busy machine work of 250 ms takes many times as long. */
const mostWallMs = 120 * patternBudgetMs;

let ready: Promise<Worker> | undefined;
let queue: Promise<unknown> = Promise.resolve();

/** One after the other, so that each has the whole budget. Rejects when no thread can be had. */
export function matchElsewhere(pattern: string, subject: string): Promise<PatternAnswer> {
  const answer = queue.then(() => match(pattern, subject));
  // Who asked hears of it; the next in the queue is not concerned.
  queue = answer.catch(() => undefined);
  return answer;
}

async function match(pattern: string, subject: string): Promise<PatternAnswer> {
  const worker = await startedWorker();
  worker.ref();
  const [began, cpu] = [systemClock.now(), process.cpuUsage()];
  worker.postMessage({ pattern, subject });
  const said = await heard<{ held: boolean } | { invalid: string }>(worker, patternBudgetMs, () => {
    const { user, system } = process.cpuUsage(cpu);
    return leftOf({ wallMs: systemClock.now() - began, cpuMs: (user + system) / 1_000 });
  });
  if ('message' in said) {
    worker.unref();
    return 'invalid' in said.message ? { problem: invalidPatternMessage(pattern, said.message.invalid) } : said.message;
  }
  await worker.terminate();
  return { problem: overBudgetMessage(pattern, subject.length, said.failed && `needs more than ${mostMb} MB`) };
}

/** On a machine that others keep busy, a thread that got no time to work has used up nothing. */
export function leftOf({ wallMs, cpuMs }: { wallMs: number; cpuMs: number }): number {
  return wallMs >= mostWallMs ? 0 : Math.max(0, Math.ceil(patternBudgetMs - cpuMs));
}

async function startedWorker(): Promise<Worker> {
  const before = await ready?.catch(() => undefined);
  // One that ended has no id any more.
  if (before && before.threadId !== -1) return before;
  ready = start();
  return ready;
}

async function start(): Promise<Worker> {
  const library = createRequire(import.meta.url).resolve('re2js');
  // Flags of the process may load what has no business here, such as a compiler.
  const worker = new Worker(program, {
    ...{ eval: true, execArgv: [], workerData: library, name: 'recipewright patterns' },
    resourceLimits: { maxOldGenerationSizeMb: mostMb },
  });
  // A thread that dies between two questions must not take the process with it.
  worker.on('error', () => undefined);
  const said = await heard(worker, mostStartMs);
  if ('message' in said) {
    worker.unref();
    return worker;
  }
  await worker.terminate();
  throw said.failed ?? new Error(`The thread was not ready within ${mostStartMs} ms.`);
}

type Heard<T> = { message: T } | { failed?: Error };

/** `leftMs`: what it may take beyond `ms`, asked when that is over. */
function heard<T>(worker: Worker, ms: number, leftMs = () => 0): Promise<Heard<T>> {
  return new Promise((resolve) => {
    const end = (said: Heard<T>): void => {
      withdraw();
      worker.off('message', hear).off('error', fail);
      resolve(said);
    };
    const hear = (message: T): void => end({ message });
    const fail = (failed: Error): void => end({ failed });
    // An answer may be waiting while this thread was busy: it is heard before the last timer.
    const look = (): void => {
      const more = leftMs();
      withdraw = systemClock.after(Math.max(1, more), more > 0 ? look : () => end({}));
    };
    let withdraw = systemClock.after(ms, look);
    worker.on('message', hear).on('error', fail);
  });
}
