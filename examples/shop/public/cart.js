import { euros, products, quote } from '/quote.mjs';

const form = document.querySelector('form');
const find = (id) => document.querySelector(`[data-testid="${id}"]`);
// The ids of the products in the cart, in the order they were added. Local storage keeps them when the page is reloaded.
const cart = JSON.parse(localStorage.getItem('cart') ?? '[]');

for (const button of document.querySelectorAll('[data-add]')) {
  button.addEventListener('click', () => {
    cart.push(button.dataset.add);
    localStorage.setItem('cart', JSON.stringify(cart));
    showCart();
  });
}
form.addEventListener('submit', () => localStorage.removeItem('cart'));
showCart();

function showCart() {
  const counts = Object.fromEntries(products.map(({ id }) => [id, cart.filter((each) => each === id).length]));
  for (const [id, count] of Object.entries(counts)) form.elements[id].value = count;
  const { lines, discountCents, shippingCents, totalCents } = quote(counts);
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
