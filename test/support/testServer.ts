// Starts a real HTTP server, which is closed at the end of the test.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { listenHere } from './listen.js';

export type Received = { method: string; url: string; headers: IncomingMessage['headers']; body: string };

export type TestServer = { url: string; host: string; port: number; received: Received[] };

export async function testServer(
  answer: (request: Received, response: ServerResponse) => void = (_, response) => void response.end('ok'),
): Promise<TestServer> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      received.push(one);
      answer(one, response);
    });
  });
  const { port, close } = await listenHere(server);
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, port, received };
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
