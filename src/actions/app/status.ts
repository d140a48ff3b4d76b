import * as z from 'zod';
import { declareAction } from '../action.js';

export const status = declareAction({
  name: 'app.status',
  description: 'Reads where the app stands: its URL and title.',
  schema: z.strictObject({}),
  examples: [{ description: 'Where are we?', node: { action: 'app.status' } }],
  effect: 'reads',
  needs: ['page'],
});
