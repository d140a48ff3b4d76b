// The CPU and the time of one test in its worker, taken around everything but Playwright's own first fixtures.
import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test as base, type TestInfo } from '@playwright/test';

type Measured = { measured: undefined };

/** Outermost of the fixtures: it counts their set-up and teardown as well. */
export const measured = [
  async ({}: object, use: (nothing: undefined) => Promise<void>, testInfo: TestInfo): Promise<void> => {
    const began = now();
    await use(undefined);
    write(testInfo, began, now());
  },
  { auto: true, box: true },
] as const satisfies readonly unknown[];

export const nativeTest = base.extend<Measured>({ measured: [...measured] });

type Moment = { cpuUs: number; ms: number };

function now(): Moment {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system, ms: performance.now() };
}

// Copies are named by round and variant, a recipe's test by its document.
function write({ file, status, workerIndex }: TestInfo, began: Moment, ended: Moment): void {
  const [round, , variant] = basename(file).split(/[-.]/);
  const line = { round: Number(round), variant, status, workerIndex, began, ended };
  appendFileSync(process.env.BENCH_RESULTS ?? '', `${JSON.stringify(line)}\n`);
}
