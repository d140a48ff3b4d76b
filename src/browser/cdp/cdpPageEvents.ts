// Forwards console messages, errors and dialogs of a page as the events that Playwright emits.
import type { EventEmitter } from 'node:events';
import { type CdpSession, toUncaughtError } from './cdpConnection.js';

type Argument = { type: string; value?: unknown; description?: string; unserializableValue?: string };
type ConsoleCalled = { type: string; args: readonly Argument[] };
type LogEntryAdded = { entry: { level: string; text: string; source: string } };
type DialogOpening = { type: string; message: string };
type ExceptionThrown = { exceptionDetails: Parameters<typeof toUncaughtError>[0] };

export function forwardDialogs(session: CdpSession, context: EventEmitter): void {
  session.on('Page.javascriptDialogOpening', ({ type, message }: DialogOpening) => {
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

/** For an existing page, call it after its domains are enabled: enabling them replays messages from before the run. */
export function forwardMessages(session: CdpSession, page: EventEmitter): void {
  const emitConsole = (type: string, text: string): void => void page.emit('console', { type: () => type, text: () => text });
  session.on('Runtime.consoleAPICalled', ({ type, args }: ConsoleCalled) => emitConsole(type, args.map(argumentText).join(' ')));
  session.on(
    'Log.entryAdded',
    ({ entry: { level, text, source } }: LogEntryAdded) => source === 'worker' || emitConsole(level, text),
  );
  session.on('Runtime.exceptionThrown', ({ exceptionDetails }: ExceptionThrown) =>
    page.emit('pageerror', toUncaughtError(exceptionDetails)),
  );
}

function argumentText({ type, value, description, unserializableValue }: Argument): string {
  if (value !== undefined) return String(value);
  return unserializableValue ?? description ?? type;
}
