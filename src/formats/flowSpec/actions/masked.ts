// Text of a page on its way out of the run, without the secrets of the run.
import type { ActionContext } from '../../../actions/action.js';

/** They are taken out before it is cut: nobody would know half of a secret for one. */
export function masked({ redact }: Pick<ActionContext, 'redact'>, text: string, longest = Number.POSITIVE_INFINITY): string {
  const redactor = redact?.();
  const plain = redactor ? Buffer.concat([redactor.write(Buffer.from(text)), redactor.end()]).toString() : text;
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}
