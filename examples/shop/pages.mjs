// The two pages of the shop.
import { euros } from './quote.mjs';

export function shopPage(products) {
  return page(
    'Morning Goods',
    `<section class="products">${products.map(productCard).join('')}</section>
    <form class="cart" method="post" action="/orders">
      <h2>Your cart</h2>
      ${products.map(({ id }) => `<input type="hidden" name="${id}" value="0">`).join('')}
      <ul data-testid="cart-lines"></ul>
      <p class="empty" data-testid="cart-empty">Nothing here yet.</p>
      <dl>
        <div data-testid="cart-discount" hidden><dt>Discount</dt><dd></dd></div>
        <div data-testid="cart-shipping"><dt>Shipping</dt><dd>–</dd></div>
        <div class="total"><dt>Total</dt><dd data-testid="cart-total">€0.00</dd></div>
      </dl>
      <button class="primary" data-testid="checkout" disabled>Place order</button>
    </form>
    <script type="module" src="/cart.js"></script>`,
  );
}

export function orderPage({ number, lines, discountCents, shippingCents, totalCents }) {
  const rows = lines.map((line) => `<li><span>${line.quantity} × ${line.name}</span><span>${euros(line.sumCents)}</span></li>`);
  const discount = discountCents > 0 ? `<div><dt>Discount</dt><dd>−${euros(discountCents)}</dd></div>` : '';
  return page(
    `Order ${number}`,
    `<section class="receipt">
      <svg class="tick" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="24"/><path d="m14 25 7 7 13-15"/></svg>
      <h2>Thank you, your order is confirmed</h2>
      <p>Order number <strong data-testid="order-number">${number}</strong></p>
      <ul>${rows.join('')}</ul>
      <dl>
        ${discount}
        <div><dt>Shipping</dt><dd>${shippingCents === 0 ? 'free' : euros(shippingCents)}</dd></div>
        <div class="total"><dt>Total</dt><dd data-testid="order-total">${euros(totalCents)}</dd></div>
      </dl>
      <a href="/">Back to the shop</a>
    </section>`,
  );
}

function productCard({ id, name, note, cents }) {
  return `<article>
    <svg viewBox="0 0 120 90" aria-hidden="true">${drawings[id]}</svg>
    <div><h2>${name}</h2><p>${note}</p></div>
    <footer><strong data-testid="price-${id}">${euros(cents)}</strong>
    <button type="button" data-add="${id}" data-testid="add-${id}">Add to cart</button></footer>
  </article>`;
}

const drawings = {
  kettle:
    '<path d="M36 40q24-14 48 0l6 32q-30 12-60 0z" fill="#c97b4a"/><path d="M86 48l18-12" stroke="#c97b4a" stroke-width="8"/>' +
    '<path d="M40 34q20-34 40 0" fill="none" stroke="#5b4636" stroke-width="5"/><circle cx="60" cy="31" r="4" fill="#5b4636"/>',
  mug:
    '<rect x="38" y="26" width="40" height="46" rx="8" fill="#7d94a6"/>' +
    '<path d="M78 36q18 0 18 13t-18 13" fill="none" stroke="#7d94a6" stroke-width="7"/><path d="M38 38h40" stroke="#63798a" stroke-width="5"/>',
  tray:
    '<rect x="20" y="34" width="80" height="30" rx="10" fill="#b98b56"/><rect x="28" y="41" width="64" height="16" rx="6" fill="#d2a873"/>' +
    '<path d="M20 49h-6M106 49h-6" stroke="#8d6537" stroke-width="6" stroke-linecap="round"/>',
};

function page(title, main) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
<header><h1>Morning Goods</h1><p>Three of a kind: 10 % off. Free shipping from €50.</p></header>
<main>${main}</main>
</html>`;
}
