// Serves two static pages on a free port: node server.mjs
import http from 'node:http';

const shop = page(
  'Shop',
  `<button data-testid="add-kettle">Add a kettle</button>
  <button data-testid="add-mug">Add a mug</button>
  <p data-testid="count">Empty</p>
  <p data-testid="total">€0.00</p>
  <button data-testid="gift">As a gift</button>
  <label>For <input data-testid="name"></label>
  <p data-testid="for"></p>
  <label>Mugs <input data-testid="mugs" inputmode="numeric"></label>
  <button data-testid="add-mugs">Add so many mugs</button>
  <p data-testid="note" hidden>Wrapped as a gift</p>
  <a data-testid="checkout" href="/order">Place order</a>
  <script>
    const find = (id) => document.querySelector('[data-testid="' + id + '"]');
    let items = 0, cents = 0;
    const add = (price) => () => {
      find('count').textContent = ++items + ' in the cart';
      find('total').textContent = '€' + ((cents += price) / 100).toFixed(2);
    };
    find('add-kettle').onclick = add(4800);
    find('add-mug').onclick = add(1400);
    find('name').oninput = ({ target }) => { find('for').textContent = 'A gift for ' + target.value; };
    find('add-mugs').onclick = () => { for (let left = Number(find('mugs').value); left > 0; left--) add(1400)(); };
    find('gift').onclick = () => { find('note').hidden = false; };
  </script>`,
);
const order = page('Order', '<h1 data-testid="thanks">Thank you</h1><p>Your order is confirmed.</p>');
const pages = new Map([
  ['/', shop],
  ['/order', order],
]);

const server = http.createServer((request, response) => {
  const body = pages.get(request.url ?? '');
  response.writeHead(body ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(body ?? 'Not found');
});

server.listen(0, '127.0.0.1', () => console.log(`Listening at http://127.0.0.1:${server.address().port}`));

function page(title, main) {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,"><main>${main}</main></html>`;
}
