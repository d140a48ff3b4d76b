import * as z from 'zod';
import { declareAction } from '../action.js';

export const keyPress = declareAction({
  name: 'ui.key_press',
  description: 'Presses a key on whatever has the focus.',
  schema: z.strictObject({ key: z.string().min(1).describe('As the keyboard names it: Enter, Escape, ArrowDown, Control+A.') }),
  examples: [{ description: 'Close the dialog.', node: { action: 'ui.key_press', key: 'Escape' } }],
  effect: 'user',
  needs: ['page'],
});
