// What a page says: console, errors, dialogs and its end.
import type { EventEmitter } from 'node:events';
import { uncaught } from './evaluate.js';
import type { BareSession } from './session.js';

type Argument = { type: string; value?: unknown; description?: string; unserializableValue?: string };
type Called = { type: string; args: readonly Argument[] };
type Logged = { entry: { level: string; text: string; source: string } };
type Opening = { type: string; message: string };
type Thrown = { exceptionDetails: Parameters<typeof uncaught>[0] };

export function hearDialogs(session: BareSession, context: EventEmitter): void {
  session.on('Page.javascriptDialogOpening', ({ type, message }: Opening) => {
    const answer = (accept: boolean, promptText?: string): Promise<unknown> =>
      session.send('Page.handleJavaScriptDialog', { accept, ...(promptText === undefined ? {} : { promptText }) });
    context.emit('dialog', {
      type: () => type,
      message: () => message,
      accept: (text?: string) => answer(true, text),
      dismiss: () => answer(false),
    });
  });
}

/** What a page said before anybody listened is told again when its domains are enabled, and no part of the run. */
export function hearPage(session: BareSession, page: EventEmitter): void {
  const say = (type: string, text: string): void => void page.emit('console', { type: () => type, text: () => text });
  session.on('Runtime.consoleAPICalled', ({ type, args }: Called) => say(type, args.map(shown).join(' ')));
  session.on('Log.entryAdded', ({ entry: { level, text, source } }: Logged) => source === 'worker' || say(level, text));
  session.on('Runtime.exceptionThrown', ({ exceptionDetails }: Thrown) => page.emit('pageerror', uncaught(exceptionDetails)));
}

function shown({ type, value, description, unserializableValue }: Argument): string {
  if (value !== undefined) return String(value);
  return unserializableValue ?? description ?? type;
}
