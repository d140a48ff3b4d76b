// The shop's prices and rules. The page, the server and the command line all use this file.
export const products = [
  { id: 'kettle', name: 'Copper kettle', note: 'Pours slowly, keeps warm for hours.', cents: 4800 },
  { id: 'mug', name: 'Stoneware mug', note: 'Fired twice, fits a generous cup.', cents: 1400 },
  { id: 'tray', name: 'Oak tray', note: 'Oiled by hand, carries breakfast for two.', cents: 3200 },
];

/** Three or more of one product cost 10 % less. Shipping is €5.00, and free for orders from €50.00. */
export function quote(cart) {
  const lines = products.flatMap((product) => {
    const quantity = cart[product.id] ?? 0;
    return quantity > 0 ? [{ ...product, quantity, sumCents: quantity * product.cents }] : [];
  });
  const discountCents = sum(lines.map((line) => (line.quantity >= 3 ? Math.round(line.sumCents / 10) : 0)));
  const goodsCents = sum(lines.map((line) => line.sumCents)) - discountCents;
  const shippingCents = goodsCents === 0 || goodsCents >= 5000 ? 0 : 500;
  return { lines, discountCents, shippingCents, totalCents: goodsCents + shippingCents };
}

export function euros(cents) {
  return `€${(cents / 100).toFixed(2)}`;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
