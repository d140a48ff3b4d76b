// The fields with which a node selects an element or a point on the page.
import * as z from 'zod';
import type { Target } from '../../browser/target.js';
import type { RecipeNode } from '../../recipe/recipe.js';

const text = z.string().min(1).optional();

/** Fields that select an element by its place or role. */
export const placeFields = {
  selector: text.describe('A CSS selector or another Playwright selector.'),
  test_id: text.describe('The value of data-testid, data-test-id or data-test.'),
  testID: text.describe('The same as test_id.'),
  target: text.describe('The same as test_id.'),
  role: text.describe('The ARIA role, such as button or link.'),
  name: text.describe('With role: the accessible name, or a part of it.'),
  exact: z.boolean().optional().describe('The name, label or text must match as a whole, including upper and lower case.'),
};

/** Fields that select a form field, which can also have a label. */
export const fieldFields = { ...placeFields, label: text.describe('The label of the field, or a part of it.') };

/** Fields that select an element by its place, its role or its text. */
export const targetFields = {
  ...placeFields,
  text: text.describe('The text of the element, or a part of it.'),
  label: text.describe('The same as text.'),
};

/** Fields that select a point of the page. */
export const pointFields = {
  x: z
    .number()
    .min(0)
    .optional()
    .describe('In CSS pixels from the left edge of the viewport, or of the element if there is a target.'),
  y: z
    .number()
    .min(0)
    .optional()
    .describe('In CSS pixels from the top edge of the viewport, or of the element if there is a target.'),
};

const placeFieldNames = ['selector', 'test_id', 'testID', 'target', 'role'];

export function describeMissingTarget(
  { fields, bindings }: TargetNode,
  others: readonly string[] = ['text', 'label'],
): string | undefined {
  const has = (name: string): boolean => fields[name] !== undefined || bindings?.has(name) === true;
  if (has('name') && !has('role')) return '"role" with "name"';
  if (has('x') !== has('y')) return has('x') ? '"y" with "x"' : '"x" with "y"';
  return [...placeFieldNames, ...others].some(has)
    ? undefined
    : `a target, such as ${['selector', 'test_id', 'role', ...others].map((name) => `"${name}"`).join(', ')}`;
}

type TargetNode = Pick<RecipeNode, 'fields'> & Partial<Pick<RecipeNode, 'bindings'>>;

/** Converts `label` into `text`, for actions that do not select form fields. If both are set, the element must contain both. */
export function withText(fields: Target): Target {
  const { label, ...rest } = fields;
  if (label === undefined) return fields;
  return rest.text === undefined || rest.text === label ? { ...rest, text: label } : { ...rest, contains: [label] };
}
