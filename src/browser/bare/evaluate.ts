// Scripts in a page, and what they throw as errors of ours.
import type { BareSession } from './session.js';

type Thrown = { text: string; exception?: { description?: string; value?: unknown } };
type Evaluated = { result: { value?: unknown }; exceptionDetails?: Thrown };

export async function evaluateIn<T>(session: BareSession, expression: string, contextId: number): Promise<T> {
  const asked = { expression, contextId, returnByValue: true, awaitPromise: true };
  const { result, exceptionDetails } = await session.send<Evaluated>('Runtime.evaluate', asked);
  if (exceptionDetails) throw new Error(`evaluate: ${wordsOf(exceptionDetails)}`);
  return result.value as T;
}

/** What a page threw and nobody caught: its message without its name and stack. */
export function uncaught(thrown: Thrown): Error {
  const [said = ''] = wordsOf(thrown).split(/\n\s+at /);
  return new Error(said.replace(/^(Uncaught )?\w*Error: /, ''));
}

function wordsOf({ text, exception }: Thrown): string {
  return exception?.description ?? (exception && 'value' in exception ? String(exception.value) : text);
}
