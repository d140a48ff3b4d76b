// The doctor's check for videos, with different browsers to encode them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { examineProject } from '../../src/run/doctor/examineProject.js';

const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

afterEach(() => void vi.unstubAllEnvs());

async function videoCheck(): Promise<unknown> {
  const { checks } = await examineProject({ projectRoot, triesVideo: true });
  return checks.find(({ id }) => id === 'tools.video');
}

test('a doctor finds that videos can be recorded by having the browser start its encoder', async () => {
  const check = { id: 'tools.video', status: 'pass', category: 'tools', message: 'The browser can record videos.' };
  expect(await videoCheck()).toEqual(check);
});

test.for([
  ['that does not start', 'exit 3', /^The browser cannot record videos: .*browser ended unexpectedly \(exit code 3\)\.$/],
  ['that is not there', undefined, /^The browser cannot record videos: there is no Chromium to encode them\.$/],
] as const)('a doctor notes a browser %s, and how to get videos', async ([, script, message]) => {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-doctor-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const program = join(dir, 'browser');
  if (script !== undefined) writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('RECIPEWRIGHT_BROWSER', program);
  expect(await videoCheck()).toMatchObject({
    status: 'warn',
    message: expect.stringMatching(message),
    fix: expect.stringMatching(/npx playwright install chromium.*RECIPEWRIGHT_BROWSER.*single frames/),
  });
});

test('the checks before a run start no browser for the video check', async () => {
  const { checks } = await examineProject({ projectRoot });
  expect(checks.map(({ id }) => id)).not.toContain('tools.video');
});
