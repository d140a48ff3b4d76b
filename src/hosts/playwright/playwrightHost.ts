// Nodes as Playwright steps: located in the JSON, nested like the calls, with their journal lines on board.
import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { type TestInfo, type TestStepInfo, test } from '@playwright/test';
import type { Place } from '../../document/finding.js';
import type { Capture } from '../../evidence/journal.js';
import type { Host, HostStep, StepInfo } from '../../run/host.js';
import { writeShortLivedFile } from '../../system/files/files.js';
import { removeLeaks } from '../shared/removeLeaks.js';
import { callAt, pointAt } from './atPlace.js';
import { longestAnnotation, wire } from './wire.js';

/** `key` tells the runs of one test apart. */
export type HostParts = { fixtures: Readonly<Record<string, unknown>>; key: string };

export function playwrightHost(testInfo: TestInfo, { fixtures, key }: HostParts): Host {
  const name = `recipewright${key.replace(':', '-')}`;
  // `outputPath` would make the directory, also for those who attach nothing.
  const folder = join(testInfo.outputDir, name);
  const kept: Kept = { folder, push: (sent) => testInfo.attachments.push(sent), endName: `${wire.end}${key}` };
  return {
    name: 'playwright',
    version: testInfo.config.version,
    fixtures,
    step(info, body) {
      const { title, subtitle, place, begin } = info;
      const shown = { location: place, subtitle, params: { [wire.begin]: begin } };
      return test.step(title, (step) => runStep({ step, info, place, kept }, body), shown);
    },
    // What others attached to the test lies there, too.
    removeLeaks: (vault) => removeLeaks(testInfo.outputDir, vault).map((path) => inPackage(path, name)),
  };
}

function inPackage(path: string, folder: string): string {
  const [first, ...rest] = path.split(/[\\/]/);
  return first === folder ? rest.join('/') : path;
}

type Kept = { folder: string; push(sent: TestInfo['attachments'][number]): void; endName: string };
/** `place`: of the step; it is looked up in the document each time it is asked for. */
type Shown = { step: TestStepInfo; info: StepInfo; place: Place; kept: Kept };

async function runStep({ step, info, place, kept }: Shown, body: (step: HostStep) => void | Promise<void>): Promise<void> {
  try {
    await body({
      attach: async (capture) => attach(capture, kept),
      end: (line) => sendEnd(step, line, kept.endName),
      within: info.opens ? AsyncLocalStorage.snapshot() : (child) => child(),
      // Most actions call nothing of Playwright.
      get call() {
        return callAt(place);
      },
    });
  } catch (thrown) {
    if (thrown instanceof Error) pointAt(thrown, place, info.subtitle);
    throw thrown;
  }
  if (info.skip !== undefined) step.skip(true, info.skip);
}

export function sendEnd(step: TestStepInfo, line: string, name: string): void | Promise<void> {
  if (line.length > longestAnnotation) return step.attach(name, { body: line, contentType: 'application/json' });
  step.annotations.push({ type: wire.end, description: line });
}

// A push belongs to the step around it and takes the file as it lies, while step.attach would copy it once more.
function attach({ path, body, mimeType }: Capture, { folder, push }: Kept): void {
  const file = join(folder, path);
  writeShortLivedFile(file, body);
  push({ name: path, path: file, contentType: mimeType ?? 'application/octet-stream' });
}
