import * as z from 'zod';
import { declareAction } from '../action.js';

export const trace = declareAction({
  name: 'app.trace',
  description: 'Reads the latest performance entries of the app.',
  schema: z.strictObject({ limit: z.int().min(1).max(1_000).optional() }),
  examples: [{ description: 'What was loaded last.', node: { action: 'app.trace' } }],
  effect: 'reads',
  needs: ['page'],
});
