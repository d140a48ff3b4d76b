import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { drive } from '../ui/drive.js';
import { currentStage } from './currentStage.js';
import { background, foreground } from './presence.js';
import { back, launch, reload, restart, terminate } from './session.js';

const command = z.enum(['reload', 'back', 'launch', 'foreground', 'background', 'terminate', 'restart']);

export const lifecycle = defineAction({
  name: 'app.lifecycle',
  description: 'Reloads, goes back, or starts, hides, shows and stops the app: state changes that no user action causes.',
  schema: z.strictObject({
    command: command
      .optional()
      .describe(
        'terminate closes its page; launch opens it again where it was opened first, restart does both. What it stored stays.',
      ),
    event: command.optional().describe('The same as command.'),
    state: command.optional().describe('The same as command.'),
    settle_ms: z.int().min(0).max(60_000).optional().describe('How long to wait afterwards.'),
  }),
  examples: [
    { description: 'Start over.', node: { action: 'app.lifecycle', command: 'restart' } },
    { description: 'Send it to the background.', node: { action: 'app.lifecycle', command: 'background' } },
  ],
  effect: 'backdoor',
  fallible: () => true,
  needs: ['page'],
  lacks: ({ fields }) => ((fields.command ?? fields.event ?? fields.state) === undefined ? '"command"' : undefined),
  async run(fields, context) {
    const asked = fields.command ?? fields.event ?? fields.state;
    if (asked === undefined) throw new RecipeError('action.missing_field', 'action', 'app.lifecycle needs a "command".');
    refuseIfAttached(asked, context);
    const seen = await drive(() => commands[asked](context), context);
    await settle(fields.settle_ms ?? 0, context);
    return { output: { command: asked, ...seen } };
  },
});

const commands = { reload, back, launch, foreground, background, terminate, restart };

// The app belongs to whoever started it: it goes on after the run as it went on before.
function refuseIfAttached(asked: z.infer<typeof command>, context: ActionContext): void {
  if (asked !== 'terminate' && asked !== 'restart') return;
  const { isOwn } = currentStage(context).options;
  if (isOwn) return;
  const message = `The app was running before the recipe and is never closed by it, so it cannot ${asked}. Use "reload", or let recipewright start the browser.`;
  throw new RecipeError('app.not_own', 'environment', message);
}

async function settle(ms: number, { clock, signal }: ActionContext): Promise<void> {
  if (ms === 0 || signal.aborted) return;
  await new Promise<void>((resume) => {
    const withdraw = clock.after(ms, resume);
    const stop = (): void => {
      withdraw();
      resume();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
