// Measures the CPU and wall time of one test in its worker, including all fixtures except the first ones of Playwright.
import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test as base, type TestInfo } from '@playwright/test';

type Measured = { measured: undefined };

/** The outermost fixture, so that the times include the setup and teardown of the other fixtures. */
export const measured = [
  async ({}: object, use: (value: undefined) => Promise<void>, testInfo: TestInfo): Promise<void> => {
    const start = readUsage();
    await use(undefined);
    writeResult(testInfo, start, readUsage());
  },
  { auto: true, box: true },
] as const satisfies readonly unknown[];

export const nativeTest = base.extend<Measured>({ measured: [...measured] });

type Usage = { cpuUs: number; ms: number };

function readUsage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system, ms: performance.now() };
}

// The names of the copies begin with the round and the variant. The test of a recipe has the file name of the recipe.
function writeResult({ file, status, workerIndex }: TestInfo, start: Usage, end: Usage): void {
  const [round, , variant] = basename(file).split(/[-.]/);
  const line = { round: Number(round), variant, status, workerIndex, start, end };
  appendFileSync(process.env.BENCH_RESULTS ?? '', `${JSON.stringify(line)}\n`);
}
