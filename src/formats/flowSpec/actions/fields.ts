// Texts of the actions that flow-specs compile to: as they are written, with run variables in them.
import * as z from 'zod';
import { isXPath, notASelector } from '../selectors.js';
import { flowError } from './flowError.js';

const piece = z.union([z.string(), z.strictObject({ variable: z.string().min(1) })]);

export const text = z.union([z.string(), z.array(piece)]).describe('A text, or its pieces: literals and run variables.');

export type Text = z.output<typeof text>;

/** A variable that an optional extract did not get fails the step that uses it, not the credentials. */
export function readText(written: Text, variables: ReadonlyMap<string, string>): string {
  if (typeof written === 'string') return written;
  const parts = written.map((part) => {
    if (typeof part === 'string') return part;
    const value = variables.get(part.variable);
    if (value !== undefined) return value;
    const message = `{{${part.variable}}} has no value: the optional step that extracts it did not find its element.`;
    throw flowError('spec_step_unresolvable', message);
  });
  return parts.join('');
}

/** CSS, or text=…; what a page wrote into a variable cannot make it anything else. */
export function readSelector(written: Text, variables: ReadonlyMap<string, string>): string {
  const selector = readText(written, variables);
  if (isXPath(selector))
    throw flowError('spec_step_unresolvable', `The selector ${JSON.stringify(selector)} is XPath, which is refused.`);
  const why = notASelector(selector);
  if (why !== undefined)
    throw flowError('spec_step_unresolvable', `The selector ${JSON.stringify(selector)} is neither CSS nor text=…: ${why}.`);
  return /^\s*text\s*=/.test(selector) ? selector : `css=${selector}`;
}
