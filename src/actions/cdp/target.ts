import * as z from 'zod';
import { declareAction } from '../action.js';

export const target = declareAction({
  name: 'cdp.target',
  description: 'Chooses which page, popup, extension or worker the following nodes look at.',
  schema: z.strictObject({
    role: z.string().min(1).optional().describe('A name the project knows, such as page, popup, extension or background.'),
    url: z.string().min(1).optional().describe('A part of its URL.'),
    title: z.string().min(1).optional(),
  }),
  examples: [{ description: 'Look at the extension.', node: { action: 'cdp.target', role: 'extension' } }],
  effect: 'none',
  needs: ['page'],
  lacks: ({ fields }) => (Object.keys(fields).length === 0 ? '"role", "url" or "title"' : undefined),
});
