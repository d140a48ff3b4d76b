// Recipes that start a server, for the tests of the hosts.
import { recipeOf } from './plain.js';

export const serverFile = `
  import { createServer } from 'node:http';
  import { writeFileSync } from 'node:fs';
  process.on('SIGTERM', () => console.log('SIGTERM is ignored'));
  if (process.env.PID_FILE) writeFileSync(process.env.PID_FILE, String(process.pid));
  createServer((request, response) => {
    console.log('asked for ' + request.url);
    response.end('served');
  }).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'));
`;

/** Creates a recipe that starts a server that ignores SIGTERM, and sends requests to the server and, with `asksBase`, to the base URL. */
export function servingRecipe({ pidFile = '', asksBase = false, waits = false } = {}): Record<string, unknown> {
  const last = waits ? 'hang' : 'done';
  return recipeOf({
    start: {
      action: 'service.start',
      name: 'web',
      argv: ['node', 'server.mjs'],
      env: { PID_FILE: pidFile },
      port: 'auto',
      next: 'ask',
    },
    ask: {
      action: 'http.request',
      url: 'http://127.0.0.1',
      rw: { in: { url: { source: 'start', path: '$.url' } } },
      assert: { path: '$.body', operator: 'eq', value: 'served' },
      next: asksBase ? 'base' : last,
    },
    ...(asksBase
      ? {
          base: {
            action: 'http.request',
            url: '/base',
            assert: { path: '$.body', operator: 'eq', value: 'at the base' },
            next: last,
          },
        }
      : {}),
    ...(waits
      ? {
          hang: {
            action: 'command',
            intent: 'Hang until the run is interrupted',
            cmd: 'exec sleep 600',
            timeout_ms: 700_000,
            next: 'done',
          },
        }
      : {}),
  });
}
