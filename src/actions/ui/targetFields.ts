// How a node names a thing on the page, in its fields.
import * as z from 'zod';
import type { Target } from '../../browser/target.js';
import type { RecipeNode } from '../../recipe/recipe.js';

const text = z.string().min(1).optional();

/** An element by where it is. */
export const placeFields = {
  selector: text.describe('A CSS selector, or any selector Playwright knows.'),
  test_id: text.describe('The value of data-testid, data-test-id or data-test.'),
  testID: text.describe('The same as test_id.'),
  target: text.describe('A name the project knows; a test id where it knows none.'),
  role: text.describe('Its role for assistive technology, such as button or link.'),
  name: text.describe('With role: its accessible name, or a part of it.'),
  exact: z.boolean().optional().describe('The name, label or text is all of it, in upper and lower case as written.'),
};

/** A field of a form, which also has a label. */
export const fieldFields = { ...placeFields, label: text.describe('The label of the field, or a part of it.') };

/** An element by where it is or by what it says. */
export const targetFields = {
  ...placeFields,
  text: text.describe('A text it shows, or a part of it.'),
  label: text.describe('The same as text.'),
};

/** A point of the page. */
export const pointFields = {
  x: z.number().min(0).optional().describe('In CSS pixels from the left edge of the view; of the element, when one is named.'),
  y: z.number().min(0).optional().describe('In CSS pixels from the top edge of the view; of the element, when one is named.'),
};

const places = ['selector', 'test_id', 'testID', 'target', 'role'];

export function describeMissingTarget(
  { fields, bindings }: TargetNode,
  others: readonly string[] = ['text', 'label'],
): string | undefined {
  const has = (name: string): boolean => fields[name] !== undefined || bindings?.has(name) === true;
  if (has('name') && !has('role')) return '"role" beside "name"';
  if (has('x') !== has('y')) return has('x') ? '"y" beside "x"' : '"x" beside "y"';
  return [...places, ...others].some(has) ? undefined : `a target: ${['selector', 'test_id', 'role', ...others].join(', ')}`;
}

type TargetNode = Pick<RecipeNode, 'fields'> & Partial<Pick<RecipeNode, 'bindings'>>;

/** `label` is another word for `text` where fields of a form are not asked for; with both, the element says both. */
export function withText(fields: Target): Target {
  const { label, ...rest } = fields;
  if (label === undefined) return fields;
  return rest.text === undefined || rest.text === label ? { ...rest, text: label } : { ...rest, contains: [label] };
}
