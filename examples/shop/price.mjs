// Prices an order on the command line: node price.mjs mug 3
import { euros, products, quote } from './quote.mjs';

const [id = '', count = '1'] = process.argv.slice(2);
if (!products.some((product) => product.id === id) || !/^[1-9]\d*$/.test(count)) {
  console.error(`usage: node price.mjs <${products.map((product) => product.id).join('|')}> <how many>`);
  process.exit(2);
}
const { lines, discountCents, shippingCents, totalCents } = quote({ [id]: Number(count) });
for (const line of lines) console.log(`${line.quantity} x ${line.name}: ${euros(line.sumCents)}`);
console.log(`Discount: ${euros(discountCents)}`);
console.log(`Shipping: ${shippingCents === 0 ? 'free' : euros(shippingCents)}`);
console.log(`Total: ${euros(totalCents)}`);
