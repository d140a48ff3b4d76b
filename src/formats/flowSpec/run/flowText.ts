// Replaces run variables in the strings of flow-spec actions, and masks secrets in the text of pages.
import * as z from 'zod';
import type { ActionContext } from '../../../actions/action.js';
import { createFlowError } from '../failureClass.js';
import { explainInvalidSelector, isXPath } from '../selectors.js';

const textPiece = z.union([z.string(), z.strictObject({ variable: z.string().min(1) })]);

export const flowTextSchema = z
  .union([z.string(), z.array(textPiece)])
  .describe('A string, or a list of its parts: literal strings and run variables.');

type FlowText = z.output<typeof flowTextSchema>;

/** @throws a `spec_step_unresolvable` error when an optional extract has not set the variable */
export function fillVariables(template: FlowText, variables: ReadonlyMap<string, string>): string {
  if (typeof template === 'string') return template;
  const parts = template.map((part) => {
    if (typeof part === 'string') return part;
    const value = variables.get(part.variable);
    if (value !== undefined) return value;
    const message = `{{${part.variable}}} has no value: the optional step that extracts it did not find its element.`;
    throw createFlowError('spec_step_unresolvable', message);
  });
  return parts.join('');
}

/** Checks the filled selector again: with the value of a variable, it may no longer be CSS or text=…. */
export function fillSelector(template: FlowText, variables: ReadonlyMap<string, string>): string {
  const selector = fillVariables(template, variables);
  if (isXPath(selector))
    throw createFlowError('spec_step_unresolvable', `The selector ${JSON.stringify(selector)} is XPath, which is not allowed.`);
  const reason = explainInvalidSelector(selector);
  if (reason !== undefined)
    throw createFlowError(
      'spec_step_unresolvable',
      `The selector ${JSON.stringify(selector)} is neither CSS nor text=…: ${reason}.`,
    );
  return /^\s*text\s*=/.test(selector) ? selector : `css=${selector}`;
}

/** Masks secrets before cutting the text, as half of a secret would not be recognised. */
export function maskText(
  { openMasker }: Pick<ActionContext, 'openMasker'>,
  text: string,
  maxLength = Number.POSITIVE_INFINITY,
): string {
  const masker = openMasker?.();
  const plain = masker ? Buffer.concat([masker.write(Buffer.from(text)), masker.end()]).toString() : text;
  return plain.length > maxLength ? `${plain.slice(0, maxLength)}…` : plain;
}
