// Nodes as Playwright steps: located in the JSON, nested like the calls, with their journal lines on board.
import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { type TestInfo, type TestStepInfo, test } from '@playwright/test';
import type { Capture } from '../../actions/action.js';
import type { Host, HostStep, StepInfo } from '../../run/host.js';
import { writeLoosely } from '../../system/files.js';
import { callAt, pointAt } from './atPlace.js';
import { longestAnnotation, wire } from './wire.js';

export function playwrightHost(testInfo: TestInfo, fixtures: Readonly<Record<string, unknown>>): Host {
  return {
    name: 'playwright',
    version: testInfo.config.version,
    fixtures,
    async step(info, body) {
      const { title, subtitle, place, begin } = info;
      await test.step(title, (step) => runStep(step, info, body, testInfo), {
        location: place,
        subtitle,
        params: { [wire.begin]: begin },
      });
    },
  };
}

async function runStep(
  step: TestStepInfo,
  info: StepInfo,
  body: (step: HostStep) => void | Promise<void>,
  testInfo: TestInfo,
): Promise<void> {
  try {
    await body({
      attach: async (capture) => attach(capture, testInfo),
      end: (line) => sendEnd(step, line),
      within: info.opens ? AsyncLocalStorage.snapshot() : (child) => child(),
      call: callAt(info.place),
    });
  } catch (thrown) {
    if (thrown instanceof Error) pointAt(thrown, info.place, info.subtitle);
    throw thrown;
  }
  if (info.skip !== undefined) step.skip(true, info.skip);
}

export async function sendEnd(step: TestStepInfo, line: string): Promise<void> {
  if (line.length <= longestAnnotation) step.annotations.push({ type: wire.end, description: line });
  else await step.attach(wire.end, { body: line, contentType: 'application/json' });
}

// A push belongs to the step around it and takes the file as it lies, while step.attach would copy it once more.
function attach({ path, body, mimeType }: Capture, testInfo: TestInfo): void {
  const file = join(testInfo.outputPath('recipewright'), path);
  writeLoosely(file, body);
  testInfo.attachments.push({ name: path, path: file, contentType: mimeType ?? 'application/octet-stream' });
}
