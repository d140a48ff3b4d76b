// Nodes as Playwright steps: located in the JSON, nested like the calls, with their journal lines on board.
import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { type TestInfo, type TestStepInfo, test } from '@playwright/test';
import type { Place } from '../../document/finding.js';
import type { Capture } from '../../evidence/journal.js';
import type { Host, HostStep, StepInfo } from '../../run/host.js';
import { writeShortLivedFile } from '../../system/files/files.js';
import { removeLeaks } from '../shared/removeLeaks.js';
import { createCallAt, pointErrorAt } from './internals/shortStack.js';
import { maxAnnotationLength, protocolNames } from './reporterProtocol.js';

/** `key` tells the runs of one test apart. */
export type PlaywrightHostOptions = { fixtures: Readonly<Record<string, unknown>>; key: string };

export function createPlaywrightHost(testInfo: TestInfo, { fixtures, key }: PlaywrightHostOptions): Host {
  const name = `recipewright${key.replace(':', '-')}`;
  // `outputPath` would make the directory, also for those who attach nothing.
  const folder = join(testInfo.outputDir, name);
  const target: AttachmentTarget = {
    folder,
    push: (sent) => testInfo.attachments.push(sent),
    endName: `${protocolNames.end}${key}`,
  };
  return {
    name: 'playwright',
    version: testInfo.config.version,
    fixtures,
    step(info, body) {
      const { title, subtitle, place, begin } = info;
      const stepOptions = { location: place, subtitle, params: { [protocolNames.begin]: begin } };
      return test.step(title, (step) => runStep({ step, info, place, target }, body), stepOptions);
    },
    // What others attached to the test lies there, too.
    removeLeaks: (vault) => removeLeaks(testInfo.outputDir, vault).map((path) => toPackagePath(path, name)),
  };
}

function toPackagePath(path: string, folder: string): string {
  const [first, ...rest] = path.split(/[\\/]/);
  return first === folder ? rest.join('/') : path;
}

type AttachmentTarget = { folder: string; push(sent: TestInfo['attachments'][number]): void; endName: string };
/** `place`: of the step; it is looked up in the document each time it is asked for. */
type StepContext = { step: TestStepInfo; info: StepInfo; place: Place; target: AttachmentTarget };

async function runStep(
  { step, info, place, target }: StepContext,
  body: (step: HostStep) => void | Promise<void>,
): Promise<void> {
  try {
    await body({
      attach: async (capture) => attachCapture(capture, target),
      end: (line) => sendEndLine(step, line, target.endName),
      within: info.opens ? AsyncLocalStorage.snapshot() : (child) => child(),
      // Most actions call nothing of Playwright.
      get call() {
        return createCallAt(place);
      },
    });
  } catch (thrown) {
    if (thrown instanceof Error) pointErrorAt(thrown, place, info.subtitle);
    throw thrown;
  }
  if (info.skip !== undefined) step.skip(true, info.skip);
}

export async function sendEndLine(step: TestStepInfo, line: string, name: string): Promise<void> {
  if (line.length > maxAnnotationLength) await step.attach(name, { body: line, contentType: 'application/json' });
  else step.annotations.push({ type: protocolNames.end, description: line });
}

// A push belongs to the step around it and takes the file as it lies, while step.attach would copy it once more.
function attachCapture({ path, body, mimeType }: Capture, { folder, push }: AttachmentTarget): void {
  const file = join(folder, path);
  writeShortLivedFile(file, body);
  push({ name: path, path: file, contentType: mimeType ?? 'application/octet-stream' });
}
