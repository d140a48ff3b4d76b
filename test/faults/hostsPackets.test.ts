// F22: a page cannot send UDP packets. A canary records the packets that reach it.
import { createSocket } from 'node:dgram';
import { afterAll, describe, expect, test } from 'vitest';
import { flowLab } from '../support/flowLab.js';
import { hostilePage } from './hostilePages.js';

/** The ports of the canaries that a packet reached. */
const reached = new Set<number>();

async function openCanary(): Promise<number> {
  const canary = createSocket('udp4', () => void reached.add(port));
  await new Promise<void>((resolve) => canary.bind(0, '127.0.0.1', resolve));
  afterAll(() => canary.close());
  const { port } = canary.address();
  return port;
}

const server = (port: number): string => `{ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] }`;
const offers = (connection: string): string =>
  `const pc = ${connection}; pc.createDataChannel('x'); pc.createOffer().then((offer) => pc.setLocalDescription(offer)); globalThis.kept = pc;`;
/** Replaces a built-in function, to get the original RTCPeerConnection from its arguments. */
const stealOriginal = (patch: string): string => `let real; ${patch} new RTCPeerConnection(); real ??= RTCPeerConnection;`;
const script = (code: string): string => `<script>{ ${code} }</script>`;

/** The ways in which a page can send packets to an address of its choice. */
const ways: Record<string, (settings: string, port: number) => string> = {
  'a connection': (settings) => script(offers(`new RTCPeerConnection(${settings})`)),
  'its old name': (settings) => script(offers(`new webkitRTCPeerConnection(${settings})`)),
  'its constructor': (settings) => script(offers(`new RTCPeerConnection.prototype.constructor(${settings})`)),
  'a class of its own': (settings) => script(`class Mine extends RTCPeerConnection {}; ${offers(`new Mine(${settings})`)}`),
  'other settings': (settings) =>
    script(`const made = new RTCPeerConnection(); made.setConfiguration(${settings}); ${offers('made')}`),
  'a frame': (settings) =>
    script(
      `const frame = document.createElement('iframe'); document.body.append(frame); ${offers(`new frame.contentWindow.RTCPeerConnection(${settings})`)}`,
    ),
  'a frame with a document': (settings) => `<iframe srcdoc="${script(offers(`new RTCPeerConnection(${settings})`))}"></iframe>`,
  'a popup': (settings) => script(`const opened = window.open(''); ${offers(`new opened.RTCPeerConnection(${settings})`)}`),
  'what constructs it': (settings) =>
    script(
      `${stealOriginal('Reflect.construct = (made, given, as) => { real = made; return new made(); };')} ${offers(`new real(${settings})`)}`,
    ),
  'what calls its settings': (settings) =>
    script(
      `let real; const { call, apply } = Function.prototype;
    Function.prototype.call = function (...given) { real ??= this; return Reflect.apply(this, given[0], given.slice(1)) };
    Reflect.apply = (made, as, given) => { real ??= made; return call.apply(made, [as, ...given]) };
    const made = new RTCPeerConnection(); const { setConfiguration } = made; made.setConfiguration({}); real ??= setConfiguration;
    apply.apply(real, [made, [${settings}]]); ${offers('made')}`,
    ),
  'what looks at it': (settings) =>
    script(
      `${stealOriginal("Object.prototype.get = (made, key) => { if (key === 'prototype') real = made; return made[key] };")} delete Object.prototype.get; ${offers(`new real(${settings})`)}`,
    ),
  WebTransport: (_, port) => script(`new WebTransport('https://127.0.0.1:${port}/').ready.catch(() => 0)`),
};

/** Each way has its own canary. */
const ports = new Map(await Promise.all(Object.keys(ways).map(async (way) => [way, await openCanary()] as const)));
const unreached = (): string[] => Object.keys(ways).filter((way) => !reached.has(ports.get(way) ?? 0));

function pageOf(way: string): string {
  const port = ports.get(way) ?? 0;
  return hostilePage(ways[way]?.(server(port), port) ?? '');
}

// WebTransport needs an origin that browsers trust.
const lab = await flowLab(async ({ searchParams }) => ({ html: pageOf(searchParams.get('way') ?? '') }), {
  host: 'site.localhost',
});
const at = (way: string): string => `${lab.site.origin}/?way=${encodeURIComponent(way)}`;

describe('F22 a page that sends packets', () => {
  test('a page in a flow cannot send packets to a canary in any way', async () => {
    const visit = async (some: readonly string[]): Promise<string> => {
      const steps = some.flatMap((way) => [
        { type: 'goto', url: at(way) },
        { type: 'wait', ms: 700 },
      ]);
      return (await lab.run(steps)).error;
    };
    const all = Object.keys(ways);
    // The visits are parallel, because the pages only wait.
    const errors = await Promise.all([0, 4, 8].map((from) => visit(all.slice(from, from + 4))));
    expect(all).toHaveLength(12);
    expect([errors, [...reached]]).toEqual([['', '', ''], []]);
  });

  test('outside a flow the packets reach the canary in each of these ways, which proves that the canaries work', async () => {
    const context = await lab.browser().newContext();
    try {
      const open = async (way: string): Promise<void> => {
        const page = await context.newPage();
        await page.goto(at(way).replace('site.localhost', '127.0.0.1'));
      };
      await Promise.all(Object.keys(ways).map(open));
      await expect.poll(unreached).toEqual([]);
    } finally {
      await context.close();
    }
  });
});
