// A tiny shop without dependencies: node server.mjs
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { orderPage, shopPage } from './pages.mjs';
import { products, quote } from './quote.mjs';

const files = {
  '/quote.mjs': ['quote.mjs', 'text/javascript'],
  '/cart.js': ['public/cart.js', 'text/javascript'],
  '/style.css': ['public/style.css', 'text/css'],
};
const orders = new Map();

const server = http.createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://shop');
  if (request.method === 'POST' && pathname === '/orders') return placeOrder(await readBody(request), response);
  if (request.method !== 'GET') return send(response, 405, 'Method not allowed', 'text/plain');
  if (pathname === '/') return send(response, 200, shopPage(products));
  if (orders.has(pathname)) return send(response, 200, orderPage(orders.get(pathname)));
  if (Object.hasOwn(files, pathname)) return sendFile(response, files[pathname]);
  send(response, 404, 'Not found', 'text/plain');
});

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`The shop is open at http://127.0.0.1:${server.address().port}`);
});

// The browser sends only the products and quantities. The server computes the price, so that a page cannot change it.
function placeOrder(body, response) {
  const form = new URLSearchParams(body);
  const cart = Object.fromEntries(products.map(({ id }) => [id, Math.max(0, Math.trunc(Number(form.get(id)) || 0))]));
  const bill = quote(cart);
  if (bill.lines.length === 0) return send(response, 400, 'The cart is empty', 'text/plain');
  const number = 1001 + orders.size;
  orders.set(`/orders/${number}`, { number, ...bill });
  response.writeHead(303, { location: `/orders/${number}` }).end();
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function sendFile(response, [name, type]) {
  send(response, 200, readFileSync(new URL(name, import.meta.url)), type);
}

function send(response, status, body, type = 'text/html') {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(body);
}
