// Waits for what becomes of a login, as long as that is open.
import type { ActionContext } from '../../../actions/action.js';
import { pause } from '../../../actions/pause.js';
import { flowError } from './flowError.js';
import type { FlowRun } from './flowRun.js';

const pauseMs = 100;

/** As long as its form is shown a login may still be rejected; as long as it looks rejected it may still be on its way. */
export async function rejectionOf(
  { login, settings, page }: FlowRun,
  context: ActionContext,
  { asLongAs }: { asLongAs: 'shown' | 'suspected' },
): Promise<string | undefined> {
  const latest = context.clock.now() + context.remainingMs() / 2;
  const patience = (): number => Math.min(latest, context.clock.now() + settings.expectMs);
  let until = patience();
  for (;;) {
    // Nobody can say what came of a login before the server has answered.
    if (login.isPending) until = patience();
    const { isShown, rejected, suspected } = await login.look(page(context), context);
    const mayChange = asLongAs === 'shown' ? isShown : suspected !== undefined;
    if (!mayChange || rejected !== undefined) return rejected;
    if (context.clock.now() + pauseMs > until || context.signal.aborted) return suspected;
    await pause(context, pauseMs);
  }
}

/** What is done next would leave the form behind, and nobody would know: a flow whose login was rejected does not go on. */
export async function notRejected(flow: FlowRun, context: ActionContext): Promise<void> {
  const { isOpen, wasAnswered } = flow.login;
  const rejected = isOpen && wasAnswered ? await rejectionOf(flow, context, { asLongAs: 'suspected' }) : undefined;
  if (rejected !== undefined) throw flowError('credential_rejected', `The login was rejected: ${rejected}.`);
}
