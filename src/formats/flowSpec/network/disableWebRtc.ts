// WebRTC sends packets around every proxy, to whatever address a page names. In a flow its connections find nobody.

/** Runs in every page and frame before their own scripts: whoever has no servers and only takes relays sends nothing. */
export const disableWebRtc = (): void => {
  type Settings = object | undefined;
  type Connection = { new (settings?: Settings, ...more: unknown[]): object; prototype: Record<string, unknown> };
  const names = ['RTCPeerConnection', 'webkitRTCPeerConnection'];
  const real = (globalThis as unknown as Record<string, Connection | undefined>).RTCPeerConnection;
  // A browser may be built without it.
  if (!real) return;
  // A page may put its own in place of whatever is looked up later, and would be handed the real connection.
  const { construct, apply } = Reflect;
  const quiet = (settings: Settings): object => ({ ...settings, iceServers: undefined, iceTransportPolicy: 'relay' });
  const configure = real.prototype.setConfiguration as (this: object, settings: Settings) => void;
  const traps: ProxyHandler<Connection> = Object.assign(Object.create(null), {
    construct: (made: Connection, given: Settings[], as: Connection) => construct(made, [quiet(given[0])], as),
  });
  const stand: Connection = new Proxy(real, Object.freeze(traps));
  real.prototype.setConfiguration = function (this: object, settings: Settings) {
    return apply(configure, this, [quiet(settings)]);
  };
  Object.defineProperty(real.prototype, 'constructor', { value: stand, writable: true, configurable: true });
  for (const name of names) Object.defineProperty(globalThis, name, { value: stand, writable: true, configurable: true });
};
