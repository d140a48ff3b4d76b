// The hand-written spec for order.recipe.json, with the same page calls.
import { nativeTest as test } from '../measured.js';

test('native', async ({ page }, testInfo) => {
  await page.goto('/');
  await page.getByTestId('add-kettle').click();
  await page.getByTestId('count').filter({ hasText: '1 in the cart' }).waitFor();
  await page.getByTestId('add-mug').click();
  await page.getByTestId('total').filter({ hasText: '€62.00' }).waitFor();
  await page.getByTestId('gift').click();
  await page.getByText('Wrapped as a gift').waitFor();
  await page.getByTestId('checkout').click();
  await page.getByTestId('thanks').filter({ hasText: 'Thank you' }).waitFor();
  const path = testInfo.outputPath('order.png');
  await page.screenshot({ path });
  await testInfo.attach('order.png', { path, contentType: 'image/png' });
});
