// Screenshots and videos by the record policy of nodes.
import { expect, test } from 'vitest';
import type { ObservedNode } from '../../src/browser/nodeObserver.js';
import { decodeVideo } from '../support/video.js';
import { countDifferentPixels, observedNode, passed } from './hudPages.js';
import { describeCaptures, failed, type KeptCapture, press, useRecordingPages } from './recordingPages.js';

const lab = useRecordingPages();

test('a proof window has screenshots before and after each node, and one video per claim', async () => {
  await lab.open();
  expect(describeCaptures(await lab.perform(observedNode('prepare', { phase: 'setup' }), lab.add))).toEqual([]);
  const first = await lab.perform(press('add'), lab.add);
  expect(describeCaptures(first)).toEqual([
    'screenshot screenshots/add-before.png AC1',
    'screenshot screenshots/add-before-hud.png AC1',
    'screenshot screenshots/add-after.png AC1',
    'screenshot screenshots/add-after-hud.png AC1',
  ]);
  const check = observedNode('check', { phase: 'assert', proofTarget: 'AC1', action: 'ui.wait_for' });
  expect(await lab.perform(check)).toEqual([]);
  expect(await lab.perform(press('add-more'), lab.add)).toHaveLength(4);
  const other = await lab.perform(press('remove', 'AC2'), lab.add);
  expect(describeCaptures(other).at(-1)).toBe('video videos/AC1.webm AC1 add');
  expect(other).toHaveLength(5);
  const end = await lab.perform(observedNode('done', { needsPage: false, status: 'pass' }));
  expect(describeCaptures(end)).toEqual(['video videos/AC2.webm AC2 remove']);
  const [before, beforeHud, after] = first as [KeptCapture, KeptCapture, KeptCapture];
  expect(countDifferentPixels(before.body, beforeHud.body)).toBeGreaterThan(5_000);
  expect(countDifferentPixels(before.body, after.body)).toBeGreaterThan(5);
  expect(countDifferentPixels(before.body, after.body)).toBeLessThan(2_000);
  expect(first.map(({ category, mimeType, label }) => [category, mimeType, label])[0]).toEqual([
    ...['evidence', 'image/png', 'Before: Perform add for the buyer'],
  ]);
});

test('each screenshot records the URL, title and viewport of its page', async () => {
  await lab.open();
  const captures = [
    ...(await lab.perform(press('add'), lab.add)),
    ...(await lab.perform({ ...press('b'), record: 'failure_only' }, lab.add, failed())),
  ];
  const page = { url: lab.page.url(), title: 'Shop', viewport: { width: 480, height: 300 } };
  const pictures = captures
    .filter(({ type }) => type === 'screenshot')
    .map(({ url, title, viewport }) => ({ url, title, viewport }));
  expect(pictures).toEqual(Array.from({ length: 6 }, () => page));
});

test('a video has the right length and shows the HUD in every frame', async () => {
  await lab.open();
  const startedAt = performance.now();
  await lab.perform(press('add'), async () => {
    await lab.add();
    await lab.page.evaluate('new Promise((resolve) => setTimeout(resolve, 600))');
  });
  const [video] = await lab.perform(observedNode('done', { needsPage: false }));
  const longest = performance.now() - startedAt;
  const moments = [0, 100, 200, 300, 400, 500, -1];
  const videoContent = await decodeVideo(lab.browser, video?.body ?? Buffer.alloc(0), moments);
  expect(videoContent).toMatchObject({ width: 480, height: 300 });
  expect(videoContent.durationMs).toBeGreaterThanOrEqual(600);
  expect(videoContent.durationMs).toBeLessThan(longest);
  // The HUD is dark. At its right end near the bottom it has no text, and the page behind it is light.
  expect(videoContent.pictures.flatMap(({ pixel }) => pixel(440, 275)).filter((level) => level > 110)).toEqual([]);
  expect(videoContent.pictures.flatMap(({ pixel }) => pixel(440, 5)).filter((level) => level < 200)).toEqual([]);
});

test('a called flow is one proof window, without its preparation nodes', async () => {
  await lab.open({ hud: false });
  const call = press('buy');
  const flow = { ...call, opens: true, needsPage: false, action: 'call' };
  await lab.recorder.nodeBegins(flow);
  expect(describeCaptures(await lab.perform(observedNode('buy/look')))).toEqual([]);
  expect(describeCaptures(await lab.perform(press('buy/add'), lab.add))).toEqual([
    'screenshot screenshots/buy-add-before.png AC1',
    'screenshot screenshots/buy-add-after.png AC1',
  ]);
  expect(describeCaptures(await lab.perform(observedNode('buy/done', { needsPage: false, status: 'pass' })))).toEqual([]);
  const ended = await lab.recorder.nodeEnds(flow, passed);
  expect(describeCaptures([...(ended.captures ?? [])])).toEqual([
    'screenshot screenshots/buy-before.png AC1',
    'screenshot screenshots/buy-after.png AC1',
  ]);
  expect(describeCaptures(await lab.perform(observedNode('reset', { phase: 'teardown' })))).toEqual([
    'video videos/AC1.webm AC1 buy',
  ]);
});

test('failure_only stores one screenshot of a failed node, trace_only and none store nothing', async () => {
  await lab.open({ hud: false });
  const node = (path: string, policy: ObservedNode['record']): ObservedNode =>
    observedNode(path, { record: policy, proofTarget: 'AC1' });
  expect(await lab.perform(node('a', 'failure_only'))).toEqual([]);
  expect(await lab.perform(node('b', 'trace_only'), lab.add, failed())).toEqual([]);
  expect(await lab.perform(node('c', 'none'), lab.add, failed())).toEqual([]);
  const captures = await lab.perform(node('d', 'failure_only'), lab.add, failed());
  expect(describeCaptures(captures)).toEqual(['screenshot screenshots/d-failure.png AC1']);
  expect(captures[0]?.category).toBe('diagnostic');
});

test('a skipped node, and a node whose action takes a screenshot, get no automatic screenshot', async () => {
  await lab.open({ video: 'off' });
  expect(await lab.perform({ ...press('skipped'), skip: 'when: is false' })).toEqual([]);
  expect(await lab.perform({ ...press('picture'), captures: true }, lab.add, { ...passed, captures: 1 })).toEqual([]);
});
