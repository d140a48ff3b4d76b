import { z } from 'zod';
import { declareAction } from '../action.js';

export const manual = declareAction({
  name: 'manual',
  description: 'Asks a person. Without an answer the run is unknown, never a pass.',
  schema: z.strictObject({ instruction: z.string().min(1).optional().describe('What the person is asked to do or judge.') }),
  examples: [
    { description: 'A look at the print.', node: { action: 'manual', instruction: 'Compare the printed label with the order.' } },
  ],
  effect: 'user',
});
