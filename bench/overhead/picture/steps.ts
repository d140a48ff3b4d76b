// native.ts with a named step around each action.
import { nativeTest as test } from '../measured.js';

test('steps', async ({ page }, testInfo) => {
  await test.step('Open the shop', () => page.goto('/'));
  await test.step('Add a kettle', () => page.getByTestId('add-kettle').click());
  await test.step('See one thing in the cart', () => page.getByTestId('count').filter({ hasText: '1 in the cart' }).waitFor());
  await test.step('Add a mug', () => page.getByTestId('add-mug').click());
  await test.step('See the total of both', () => page.getByTestId('total').filter({ hasText: '€62.00' }).waitFor());
  await test.step('Have it wrapped', () => page.getByTestId('gift').click());
  await test.step('See that it will be wrapped', () => page.getByText('Wrapped as a gift').waitFor());
  await test.step('Place the order', () => page.getByTestId('checkout').click());
  await test.step('See the thanks', () => page.getByTestId('thanks').filter({ hasText: 'Thank you' }).waitFor());
  await test.step('Keep a picture', async () => {
    const path = testInfo.outputPath('order.png');
    await page.screenshot({ path });
    await testInfo.attach('order.png', { path, contentType: 'image/png' });
  });
});
