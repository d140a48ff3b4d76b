// native.ts with a named step around each action.
import { nativeTest as test } from '../measured.js';

test('steps', async ({ page }) => {
  await test.step('Open the shop', () => page.goto('/'));
  await test.step('Add a kettle', () => page.getByTestId('add-kettle').click());
  await test.step('See one thing in the cart', () => page.getByTestId('count').filter({ hasText: '1 in the cart' }).waitFor());
  await test.step('Say for whom it is', () => page.getByTestId('name').fill('Ada'));
  await test.step('See that it is for her', () => page.getByText('A gift for Ada').waitFor());
  await test.step('Choose two mugs', () => page.getByTestId('mugs').fill('2'));
  await test.step('Add the mugs', () => page.getByTestId('add-mugs').click());
  await test.step('See the total of all', () => page.getByTestId('total').filter({ hasText: '€76.00' }).waitFor());
  await test.step('Place the order', () => page.getByTestId('checkout').click());
  await test.step('See the thanks', () => page.getByTestId('thanks').filter({ hasText: 'Thank you' }).waitFor());
});
