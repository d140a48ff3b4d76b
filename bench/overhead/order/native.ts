// The hand-written spec for order.recipe.json, with the same page calls.
import { nativeTest as test } from '../measured.js';

test('native', async ({ page }) => {
  await page.goto('/');
  await page.getByTestId('add-kettle').click();
  await page.getByTestId('count').filter({ hasText: '1 in the cart' }).waitFor();
  await page.getByTestId('name').fill('Ada');
  await page.getByText('A gift for Ada').waitFor();
  await page.getByTestId('mugs').fill('2');
  await page.getByTestId('add-mugs').click();
  await page.getByTestId('total').filter({ hasText: '€76.00' }).waitFor();
  await page.getByTestId('checkout').click();
  await page.getByTestId('thanks').filter({ hasText: 'Thank you' }).waitFor();
});
