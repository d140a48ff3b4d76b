import { euros, products, quote } from '/quote.mjs';

const form = document.querySelector('form');
const find = (id) => document.querySelector(`[data-testid="${id}"]`);

for (const button of document.querySelectorAll('[data-add]')) {
  button.addEventListener('click', () => {
    form.elements[button.dataset.add].value++;
    showCart();
  });
}
showCart();

function showCart() {
  const cart = Object.fromEntries(products.map(({ id }) => [id, Number(form.elements[id].value)]));
  const { lines, discountCents, shippingCents, totalCents } = quote(cart);
  find('cart-lines').replaceChildren(...lines.map(showLine));
  find('cart-empty').hidden = lines.length > 0;
  find('cart-discount').hidden = discountCents === 0;
  find('cart-discount').lastChild.textContent = `−${euros(discountCents)}`;
  find('cart-shipping').lastChild.textContent = lines.length === 0 ? '–' : shippingCents === 0 ? 'free' : euros(shippingCents);
  find('cart-total').textContent = euros(totalCents);
  find('checkout').disabled = lines.length === 0;
}

function showLine({ name, quantity, sumCents }) {
  const item = document.createElement('li');
  for (const text of [`${quantity} × ${name}`, euros(sumCents)])
    item.append(Object.assign(document.createElement('span'), { textContent: text }));
  return item;
}
