import * as z from 'zod';
import { declareAction } from '../action.js';

const command = z.enum(['reload', 'back', 'launch', 'foreground', 'background', 'terminate', 'restart']);

export const lifecycle = declareAction({
  name: 'app.lifecycle',
  description: 'Reloads, goes back, or starts and stops the app: state changes that no user action causes.',
  schema: z.strictObject({
    command: command.optional(),
    event: command.optional().describe('The same as command.'),
    state: command.optional().describe('The same as command.'),
    settle_ms: z.int().min(0).max(60_000).optional(),
  }),
  examples: [{ description: 'Start over.', node: { action: 'app.lifecycle', command: 'reload' } }],
  effect: 'backdoor',
  needs: ['page'],
  lacks: ({ fields }) => ((fields.command ?? fields.event ?? fields.state) === undefined ? '"command"' : undefined),
});
