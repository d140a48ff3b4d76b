import type { APIRequestContext } from '@playwright/test';
import { defineAction, defineSetup, RecipeError, z } from 'recipewright';

const placeOrder = defineAction({
  name: 'shop.place_order',
  description: 'Places an order through the API, so that a recipe about orders does not have to fill the cart first.',
  schema: z.strictObject({ items: z.record(z.string(), z.int().min(1)) }),
  examples: [{ description: 'Three mugs.', node: { action: 'shop.place_order', items: { mug: 3 } } }],
  // It changes the shop's state without using its pages. That is fine for setup, but proves nothing.
  effect: 'backdoor',
  // The Playwright fixtures that the action uses. A recipe's test sets up only the fixtures that its nodes need.
  needs: ['request'],
  async run({ items }, { fixtures }) {
    const request = fixtures.request as APIRequestContext;
    const response = await request.post('/orders', { form: items });
    if (!response.ok()) throw new RecipeError('shop.refused', 'action', `The shop answered with HTTP ${response.status()}.`);
    return { output: { url: response.url() } };
  },
});

export default defineSetup({ actions: [placeOrder] });
