// Texts of the actions that flow-specs compile to: as they are written, with run variables in them.
import * as z from 'zod';
import type { ActionContext } from '../../../actions/action.js';
import { createFlowError } from '../failureClass.js';
import { explainInvalidSelector, isXPath } from '../selectors.js';

const textPiece = z.union([z.string(), z.strictObject({ variable: z.string().min(1) })]);

export const flowTextSchema = z
  .union([z.string(), z.array(textPiece)])
  .describe('A text, or its pieces: literals and run variables.');

type FlowText = z.output<typeof flowTextSchema>;

/** A variable that an optional extract did not get fails the step that uses it, not the credentials. */
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

/** CSS, or text=…; what a page wrote into a variable cannot make it anything else. */
export function fillSelector(template: FlowText, variables: ReadonlyMap<string, string>): string {
  const selector = fillVariables(template, variables);
  if (isXPath(selector))
    throw createFlowError('spec_step_unresolvable', `The selector ${JSON.stringify(selector)} is XPath, which is refused.`);
  const why = explainInvalidSelector(selector);
  if (why !== undefined)
    throw createFlowError(
      'spec_step_unresolvable',
      `The selector ${JSON.stringify(selector)} is neither CSS nor text=…: ${why}.`,
    );
  return /^\s*text\s*=/.test(selector) ? selector : `css=${selector}`;
}

// Text of a page on its way out of the run, without the secrets of the run.

/** They are taken out before it is cut: nobody would know half of a secret for one. */
export function maskText({ redact }: Pick<ActionContext, 'redact'>, text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const redactor = redact?.();
  const plain = redactor ? Buffer.concat([redactor.write(Buffer.from(text)), redactor.end()]).toString() : text;
  return plain.length > maxLength ? `${plain.slice(0, maxLength)}…` : plain;
}
