// Disables WebRTC in the pages of a flow, because it bypasses every proxy and can reach any address.

/**
 * Runs in every page and frame before their own scripts. A connection that accepts only relays and has no servers sends nothing.
 */
export const disableWebRtc = (): void => {
  type Settings = object | undefined;
  type Connection = { new (settings?: Settings, ...rest: unknown[]): object; prototype: Record<string, unknown> };
  const names = ['RTCPeerConnection', 'webkitRTCPeerConnection'];
  const original = (globalThis as unknown as Record<string, Connection | undefined>).RTCPeerConnection;
  // A browser can be built without WebRTC.
  if (!original) return;
  // Copied now, because a page could later replace the methods of Reflect and get the original class.
  const { construct, apply } = Reflect;
  const withoutServers = (settings: Settings): object => ({ ...settings, iceServers: undefined, iceTransportPolicy: 'relay' });
  const setConfiguration = original.prototype.setConfiguration as (this: object, settings: Settings) => void;
  const traps: ProxyHandler<Connection> = Object.assign(Object.create(null), {
    construct: (target: Connection, args: Settings[], newTarget: Connection) =>
      construct(target, [withoutServers(args[0])], newTarget),
  });
  const replacement: Connection = new Proxy(original, Object.freeze(traps));
  original.prototype.setConfiguration = function (this: object, settings: Settings) {
    return apply(setConfiguration, this, [withoutServers(settings)]);
  };
  Object.defineProperty(original.prototype, 'constructor', { value: replacement, writable: true, configurable: true });
  for (const name of names) Object.defineProperty(globalThis, name, { value: replacement, writable: true, configurable: true });
};
