import type { APIRequestContext } from '@playwright/test';
import { defineAction, defineSetup, RecipeError, z } from 'recipewright';

const placeOrder = defineAction({
  name: 'shop.place_order',
  description: 'Places an order through the API, so that a proof about orders need not shop first.',
  schema: z.strictObject({ items: z.record(z.string(), z.int().min(1)) }),
  examples: [{ description: 'Three mugs.', node: { action: 'shop.place_order', items: { mug: 3 } } }],
  // It changes state behind the buyer's back: fine for setup, not for a proof.
  effect: 'backdoor',
  // Fixtures it asks Playwright for; a recipe's test gets only those that its nodes need.
  needs: ['request'],
  async run({ items }, { fixtures }) {
    const request = fixtures.request as APIRequestContext;
    const response = await request.post('/orders', { form: items });
    if (!response.ok()) throw new RecipeError('shop.refused', 'action', `The shop answered with HTTP ${response.status()}.`);
    return { output: { url: response.url() } };
  },
});

export default defineSetup({ actions: [placeOrder] });
