// The model of a flow-spec v1 document. The rules between fields are in fieldRules.ts.
import * as z from 'zod';

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Lengths are in characters, as in JSON Schema, and not in the UTF-16 units of JavaScript. */
function text(maxLength: number, minLength = 0): z.ZodString {
  return z
    .string()
    .refine((value) => fitsLength(value, maxLength, minLength), {
      error: `${minLength === 0 ? 'at most ' : `${minLength}-`}${maxLength} chars`,
    })
    .meta({ maxLength, ...(minLength > 0 ? { minLength } : {}) }) as z.ZodString;
}

function fitsLength(value: string, maxLength: number, minLength: number): boolean {
  if (value.length <= maxLength) return value.length >= minLength;
  return [...value].length <= maxLength;
}

const url = text(2048, 1);
const selector = text(512, 1).describe('CSS, or text=…; never XPath.');
const value = text(2048);
const vendor = text(64, 1);
const event = text(128, 1);
const optional = z.boolean().optional().describe('A failure is a warning, and the flow continues.');
const actionName = z.enum(['click', 'fill', 'press', 'hover', 'scroll']);
const target = text(200, 1).describe('A description of the element, such as "the sign-up button".');
const into = text(64, 1).regex(identifier, 'an identifier: [A-Za-z_][A-Za-z0-9_]*');

const expectBase = { type: z.literal('expect'), optional };

const expectStep = z.discriminatedUnion('kind', [
  z.strictObject({ ...expectBase, kind: z.literal('url_contains'), value }),
  z.strictObject({ ...expectBase, kind: z.literal('url_matches'), value }),
  z.strictObject({ ...expectBase, kind: z.literal('text_contains'), value, selector: selector.optional() }),
  z.strictObject({ ...expectBase, kind: z.literal('beacon'), vendor, event: event.optional() }),
]);

const actStep = z.strictObject({
  type: z.literal('act'),
  action: actionName,
  optional,
  selector: selector.optional(),
  target: target.optional(),
  value: value.optional(),
});

export const stepModel = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('goto'), url, optional }),
  actStep,
  expectStep,
  z.strictObject({ type: z.literal('wait'), ms: z.int().min(1).max(30_000).optional(), for: selector.optional(), optional }),
  z.strictObject({ type: z.literal('extract'), selector, into, optional }),
]);

const severity = z.enum(['critical', 'warning', 'info']).optional();

export const assertionModel = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('no_console_errors'), severity }),
  z.strictObject({ kind: z.literal('beacon_fires'), vendor, event: event.optional(), severity }),
]);

export const flowSpecModel = z.strictObject({
  spec_version: z.literal('1'),
  name: z.string().regex(/^\s*\S(?:[\s\S]{0,118}\S)?\s*$/u, '1-120 chars after trimming'),
  description: text(500).optional(),
  url: url.describe('The first page of the flow. The flow may navigate to its host and subdomains.'),
  allowed_hosts: z.array(text(253, 1)).max(10).optional().describe('More hostnames that the flow may navigate to.'),
  steps: z.array(stepModel).min(1).max(30),
  assertions: z.array(assertionModel).max(10).optional().describe('Graded after the flow. They never stop it.'),
});

export type FlowSpec = z.infer<typeof flowSpecModel>;
export type Step = z.infer<typeof stepModel>;
export type Assertion = z.infer<typeof assertionModel>;
export type Severity = 'critical' | 'warning' | 'info';
export type StepOf<T extends Step['type']> = Extract<Step, { type: T }>;
