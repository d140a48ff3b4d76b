// An app that executes the code that it finds in its own storage, so that cdp actions alone can control it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenHere } from '../support/listen.js';
import type { Node } from '../support/recipe.js';

const worker = `
  setInterval(async () => {
    const todo = localStorage.getItem('todo');
    if (todo === null) return;
    localStorage.removeItem('todo');
    await (0, eval)('(async () => {' + todo + '})()').catch((thrown) => { document.title = String(thrown); });
  }, 20);`;

const html = (title: string, body: string): string => `<!doctype html><title>${title}</title><body>${body}</body>`;

export type CdpSite = { origin: string; other: string; close(): void };

/** `other`: the same server under another host name, which is another site for browsers. */
export async function serveCdpSite(): Promise<CdpSite> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const frame = `<iframe src="http://localhost:${(server.address() as AddressInfo).port}/frame"></iframe>`;
    const pages: Record<string, string> = {
      '/app': html('App', `${frame}<script>${worker}</script>`),
      '/frame': html('Frame', "<script>localStorage.setItem('inside', 'frame')</script>"),
      '/popup': html('Payment', 'pay'),
    };
    if (pathname === '/api/moved') return response.writeHead(302, { location: '/api/ok?from=moved' }).end();
    if (pathname === '/api/ok') {
      const echo = JSON.stringify({ language: request.headers['accept-language'], at: searchParams.get('at') });
      return response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'sid=secret; HttpOnly' }).end(echo);
    }
    const body = pages[pathname];
    return response.writeHead(body ? 200 : 404, { 'content-type': 'text/html' }).end(body ?? 'no');
  });
  const { port, close } = await listenHere(server);
  return { origin: `http://127.0.0.1:${port}`, other: `http://localhost:${port}`, close };
}

// Nodes for recipes that use only the debugging port.

export const network = (mode: string, fields: object = {}): Node => ({ action: 'cdp.network', mode, ...fields });
const storage = (mode: string, fields: object = {}): Node => ({ action: 'cdp.storage', mode, ...fields });

/** Lets the app execute `code`, and waits until the title of the page says that it has done so. */
export function execute(name: string, code: string): Record<string, Node> {
  const value = `${code}; document.title = 'did ${name}'`;
  return { [name]: storage('set', { key: 'todo', value }), [`${name}-done`]: { action: 'cdp.target', title: `did ${name}` } };
}

export const storeState = `localStorage.setItem('looks', JSON.stringify({
  width: innerWidth, dark: matchMedia('(prefers-color-scheme: dark)').matches, still: matchMedia('(prefers-reduced-motion: reduce)').matches,
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone, locale: Intl.NumberFormat().resolvedOptions().locale,
  agent: navigator.userAgent, online: navigator.onLine,
}))`;
const storePosition = `await new Promise((done) => navigator.geolocation.getCurrentPosition(
  ({ coords }) => done(localStorage.setItem('place', coords.latitude + ' ' + coords.longitude)),
  (error) => done(localStorage.setItem('place', error.message))))`;
export const fetchAndStore = (path: string): string =>
  `localStorage.setItem('came', await fetch('${path}').then((a) => a.status, (e) => e.message))`;
export const read = (key: string): Node => storage('get', { key });

/** Nodes for all modes of the six cdp actions. */
export const allNodes = (site: CdpSite): Record<string, Node> => ({
  begin: { action: 'cdp.target', url: '/app' },
  wipe: storage('clear'),
  observe: network('observe', { url: '/api/' }),
  ...execute(
    'asked',
    "await fetch('/api/moved'); await fetch('/api/ok?at=2', { method: 'POST', body: 'x' }); await fetch('/api/bad')",
  ),
  stop: network('stop'),
  block: network('block', { url: '/api/*' }),
  ...execute('blocked', fetchAndStore('/api/ok')),
  'blocked-came': read('came'),
  unblock: network('restore'),
  slow: network('throttle', { latency_ms: 300 }),
  offline: network('offline'),
  ...execute('cut', `${fetchAndStore('/api/ok')}; ${storeState}`),
  'cut-came': read('came'),
  back: network('restore'),
  ...execute('again', fetchAndStore('/api/ok')),
  'again-came': read('came'),
  emulate: {
    ...{ action: 'cdp.emulation', viewport: { width: 390, height: 844 }, color_scheme: 'dark', reduced_motion: 'reduce' },
    ...{ locale: 'de-DE', timezone: 'Asia/Tokyo', user_agent: 'Phone/1', cpu: 2, geolocation: { latitude: 52, longitude: 13 } },
  },
  ...execute('seen', `${storeState}; ${storePosition}`),
  'seen-looks': read('looks'),
  'seen-place': read('place'),
  plain: { action: 'cdp.emulation', mode: 'restore' },
  ...execute('itself', storeState),
  'itself-looks': read('looks'),
  cookie: storage('set', { area: 'cookies', key: 'theme', value: 'dark' }),
  'cookie-read': storage('get', { area: 'cookies', key: 'theme' }),
  'cookie-hidden': storage('get', { area: 'cookies', key: 'sid' }),
  'cookie-drop': storage('remove', { area: 'cookies', key: 'theme' }),
  'cookie-clear': storage('clear', { area: 'cookies' }),
  'session-set': storage('set', { area: 'session', key: 'step', value: { at: 2 } }),
  'session-get': storage('get', { area: 'session' }),
  'session-drop': storage('remove', { area: 'session', key: 'step' }),
  inside: storage('get', { origin: site.other, key: 'inside' }),
  metrics: { action: 'cdp.metrics', names: ['Documents', 'Frames'] },
  trace: { action: 'cdp.trace', mode: 'start' },
  ...execute('traced', "performance.mark('here')"),
  'trace-kept': { action: 'cdp.trace', mode: 'stop' },
  dark: { action: 'cdp.emulation', color_scheme: 'dark' },
  ...execute('opened', "window.opened = open('/popup'); await new Promise((done) => { window.opened.onload = done; })"),
  popup: { action: 'cdp.target', role: 'popup' },
  home: { action: 'cdp.target', role: 'page' },
  ...execute('closed', "window.opened.close(); console.error('said aloud')"),
  last: { action: 'cdp.metrics', names: ['Documents'], assert: { path: '$.metrics.Documents', operator: 'gt', value: 0 } },
});
