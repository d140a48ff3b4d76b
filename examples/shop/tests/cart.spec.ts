import { expect, test } from '@playwright/test';

test.beforeEach(({ page }) => page.goto('/'));

test('the cart shows the total of its products', async ({ page }) => {
  await expect(page.getByTestId('checkout')).toBeDisabled();
  await page.getByTestId('add-tray').click();
  await page.getByTestId('add-mug').click();
  await expect(page.getByTestId('cart-lines').getByRole('listitem')).toHaveText([
    '1 × Stoneware mug€14.00',
    '1 × Oak tray€32.00',
  ]);
  await expect(page.getByTestId('cart-total')).toHaveText('€51.00');
});

test('three mugs cost 10 % less', async ({ page }) => {
  for (let mugs = 0; mugs < 3; mugs++) await page.getByTestId('add-mug').click();
  await expect(page.getByTestId('cart-discount')).toContainText('−€4.20');
  await expect(page.getByTestId('cart-total')).toHaveText('€42.80');
});
