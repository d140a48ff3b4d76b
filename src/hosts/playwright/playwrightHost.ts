// Runs nodes as Playwright steps: located in the JSON, nested like the calls, with their journal lines attached.
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

/** `key` distinguishes the runs of one test. */
type PlaywrightHostOptions = { fixtures: Readonly<Record<string, unknown>>; key: string };

export function createPlaywrightHost(testInfo: TestInfo, { fixtures, key }: PlaywrightHostOptions): Host {
  const name = `recipewright${key.replace(':', '-')}`;
  // testInfo.outputPath() would create the directory even if nothing is attached.
  const folder = join(testInfo.outputDir, name);
  const target: AttachmentTarget = {
    folder,
    push: (attachment) => testInfo.attachments.push(attachment),
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
    attach: async (capture) => attachCapture(capture, target),
    // This directory also holds the files that the test itself attached.
    removeLeaks: (vault) => removeLeaks(testInfo.outputDir, vault).map((path) => toPackagePath(path, name)),
  };
}

function toPackagePath(path: string, folder: string): string {
  const [first, ...rest] = path.split(/[\\/]/);
  return first === folder ? rest.join('/') : path;
}

type AttachmentTarget = { folder: string; push(attachment: TestInfo['attachments'][number]): void; endName: string };
/** `place` is read once: `info.place` searches the document each time. */
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
      // Created on demand, because most actions make no page call.
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

// attachments.push() adds the file to the current step without copying the file, as step.attach() would.
function attachCapture({ path, body, mimeType }: Capture, { folder, push }: AttachmentTarget): void {
  const file = join(folder, path);
  writeShortLivedFile(file, body);
  push({ name: path, path: file, contentType: mimeType ?? 'application/octet-stream' });
}
