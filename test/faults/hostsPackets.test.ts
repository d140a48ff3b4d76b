// F22: what does not go by connections at all. A canary counts the packets that reach it.
import { createSocket } from 'node:dgram';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { flowLab } from '../support/flowLab.js';
import { hostilePage } from './hostilePages.js';

let packets = 0;
const canary = createSocket('udp4', () => {
  packets++;
});
await new Promise<void>((resolve) => canary.bind(0, '127.0.0.1', resolve));
const { port } = canary.address();
afterEach(() => {
  packets = 0;
});
afterAll(() => canary.close());

const settings = `{ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] }`;
const offers = (connection: string): string =>
  `const pc = ${connection}; pc.createDataChannel('x'); pc.createOffer().then((offer) => pc.setLocalDescription(offer)); globalThis.kept = pc;`;
/** It puts something of its own in place of a part of the language, and takes what that is handed. */
const handed = (steals: string): string => `let real; ${steals} new RTCPeerConnection(); real ??= RTCPeerConnection;`;
const script = (code: string): string => `<script>{ ${code} }</script>`;

/** Ways of a page to send packets to an address of its choice. */
const ways: Record<string, string> = {
  'a connection': script(offers(`new RTCPeerConnection(${settings})`)),
  'its old name': script(offers(`new webkitRTCPeerConnection(${settings})`)),
  'its constructor': script(offers(`new RTCPeerConnection.prototype.constructor(${settings})`)),
  'a class of its own': script(`class Mine extends RTCPeerConnection {}; ${offers(`new Mine(${settings})`)}`),
  'other settings': script(`const made = new RTCPeerConnection(); made.setConfiguration(${settings}); ${offers('made')}`),
  'a frame': script(
    `const frame = document.createElement('iframe'); document.body.append(frame); ${offers(`new frame.contentWindow.RTCPeerConnection(${settings})`)}`,
  ),
  'a frame with a document': `<iframe srcdoc="${script(offers(`new RTCPeerConnection(${settings})`))}"></iframe>`,
  'a popup': script(`const opened = window.open(''); ${offers(`new opened.RTCPeerConnection(${settings})`)}`),
  'what constructs it': script(
    `${handed('Reflect.construct = (made, given, as) => { real = made; return new made(); };')} ${offers(`new real(${settings})`)}`,
  ),
  'what calls its settings': script(
    `let real; const { call, apply } = Function.prototype;
    Function.prototype.call = function (...given) { real ??= this; return Reflect.apply(this, given[0], given.slice(1)) };
    Reflect.apply = (made, as, given) => { real ??= made; return call.apply(made, [as, ...given]) };
    const made = new RTCPeerConnection(); const { setConfiguration } = made; made.setConfiguration({}); real ??= setConfiguration;
    apply.apply(real, [made, [${settings}]]); ${offers('made')}`,
  ),
  'what looks at it': script(
    `${handed("Object.prototype.get = (made, key) => { if (key === 'prototype') real = made; return made[key] };")} delete Object.prototype.get; ${offers(`new real(${settings})`)}`,
  ),
  WebTransport: script(`new WebTransport('https://127.0.0.1:${port}/').ready.catch(() => 0)`),
};

// WebTransport needs an origin that browsers trust.
const lab = await flowLab(async ({ searchParams }) => ({ html: hostilePage(ways[searchParams.get('way') ?? ''] ?? '') }), {
  host: 'site.localhost',
});
const at = (way: string): string => `${lab.site.origin}/?way=${encodeURIComponent(way)}`;

describe('F22 a page that sends packets', () => {
  test('reaches nobody, in whatever way it does', async () => {
    const steps = Object.keys(ways).flatMap((way) => [
      { type: 'goto', url: at(way) },
      { type: 'wait', ms: 700 },
    ]);
    expect([(await lab.run(steps)).error, packets]).toEqual(['', 0]);
  });

  test.for(Object.keys(ways))('reaches the canary by %s outside of a flow, so that the canary would have told', async (way) => {
    const context = await lab.browser().newContext();
    try {
      const page = await context.newPage();
      await page.goto(at(way).replace('site.localhost', '127.0.0.1'));
      await expect.poll(() => packets).toBeGreaterThan(0);
    } finally {
      await context.close();
    }
  });
});
