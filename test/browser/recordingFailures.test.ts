// Screenshots and videos of failed nodes, blank pages, secrets and crashes.
import { expect, test } from 'vitest';
import { decodePng } from '../../src/browser/pngImage.js';
import { observedNode } from './hudPages.js';
import { describeCaptures, failed, press, useRecordingPages } from './recordingPages.js';

const lab = useRecordingPages();

test('a failed node ends its proof window at once', async () => {
  await lab.open({ hud: false });
  const captures = await lab.perform(press('add'), lab.add, failed());
  expect(describeCaptures(captures).slice(1)).toEqual([
    'screenshot screenshots/add-after.png AC1',
    'video videos/AC1.webm AC1 add',
  ]);
});

test('no screenshot is taken of a blank page', async () => {
  lab.record();
  expect(await lab.perform(press('blank'))).toEqual([]);
  expect(
    describeCaptures(await lab.perform(press('refused'), () => lab.page.goto('http://127.0.0.1:9/').catch(() => undefined))),
  ).toEqual([]);
  expect(await lab.perform(observedNode('done'))).toEqual([]);
});

test('a run with secrets has no video', async () => {
  await lab.open({ hasSecrets: true, hud: false });
  expect(describeCaptures(await lab.perform(press('add'), lab.add))).toHaveLength(2);
  expect(await lab.perform(observedNode('done'))).toEqual([]);
});

test('a password field has one colour in every screenshot', async () => {
  await lab.page.goto(
    lab.pages.url('<body style="margin:0"><input type=password value=hunter22 style="width:200px;height:40px;margin:0">'),
  );
  lab.record({ hud: false, video: 'off' });
  const [before] = await lab.perform(press('look'));
  const { pixels, channels, width } = decodePng(before?.body ?? Buffer.alloc(0));
  const colours = new Set<string>();
  for (let x = 8; x < 190; x++) colours.add(pixels.subarray((20 * width + x) * channels, (20 * width + x) * channels + 3).join());
  expect(colours.size).toBe(1);
});

test('a crash in a proof window fails the node, and the screenshots and the video so far are stored', async () => {
  await lab.open({ hud: false });
  const crash = async (): Promise<void> => {
    await lab.add();
    await lab.page.screenshot();
    await Promise.all([lab.page.waitForEvent('crash'), lab.page.goto('chrome://crash').catch(() => undefined)]);
  };
  const node = press('add');
  await lab.recorder.nodeBegins(node);
  await crash();
  const observation = await lab.recorder.nodeEnds(node, failed('environment'));
  expect(observation.failure).toMatchObject({ code: 'ui.page_crashed', kind: 'environment' });
  const captures = describeCaptures([...(observation.captures ?? [])]);
  expect(captures).toEqual(['screenshot screenshots/add-before.png AC1', 'video videos/AC1.webm AC1 add']);
});
