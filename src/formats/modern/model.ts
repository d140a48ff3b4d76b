// The model of a modern Recipe v1 document. The fields of actions are checked by their own schemas.
import * as z from 'zod';

export const schemaUrl = 'https://farmslot.io/schemas/recipe-v1.schema.json';

const text = z.string().min(1);

const paramsSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.looseObject({})).optional(),
  required: z.array(text).optional(),
  additionalProperties: z.boolean().optional(),
});

export const modernModel = z.strictObject({
  $schema: z.literal(schemaUrl),
  title: z.string().optional(),
  description: z.string().optional(),
  paramsSchema: paramsSchema.optional().describe('The params of the recipe. Nodes read them as {{params.<name>}}.'),
  proofTargets: z
    .array(z.strictObject({ id: text, claim: text, blocked: text.optional().describe('Why it cannot be proven now.') }))
    .optional(),
  workflow: z.strictObject({
    entry: text.describe('The node to begin with.'),
    nodes: z
      .record(z.string().regex(/^[\w-]+$/, 'An id may only contain letters, digits, "_" and "-"'), z.looseObject({}))
      .refine((nodes) => Object.keys(nodes).length > 0, 'At least one node is required'),
    teardown: text.optional().describe('The first node of the teardown, a graph of its own.'),
  }),
});

const proves = z
  .array(text)
  .refine((ids) => new Set(ids).size === ids.length, 'An id is listed twice')
  .optional()
  .describe('The claims that this node proves.');

const endModel = z.strictObject({ action: z.literal('end'), status: z.enum(['pass', 'fail', 'unknown']) });

const callModel = z.strictObject({
  action: z.literal('call'),
  intent: z.string().optional(),
  ref: z
    .string()
    .regex(
      /^[\w-]+(\.[\w-]+)*$/,
      'A call names a recipe of a library by its id, such as "wallet.unlock", not by a path or a reference',
    ),
  params: z.record(z.string(), z.unknown()).optional(),
  proves,
  next: text.optional(),
});

const actionModel = z.looseObject({
  action: text,
  intent: z.string().optional(),
  next: text.optional(),
  cases: z
    .record(text, text)
    .refine((cases) => Object.keys(cases).length > 0, 'At least one case is required')
    .optional()
    .describe('The next node for each case that the action can return.'),
  default: text.optional(),
  proves,
});

/** Returns the model of a node, which depends on its action. */
export function nodeModelOf(node: ModernNode): typeof endModel | typeof callModel | typeof actionModel {
  return node.action === 'end' ? endModel : node.action === 'call' ? callModel : actionModel;
}

export type ModernRecipe = z.infer<typeof modernModel> & { workflow: { nodes: Record<string, ModernNode> } };

export type ModernNode = Record<string, unknown> & {
  action: string;
  intent?: string;
  next?: string;
  cases?: Record<string, string>;
  default?: string;
  proves?: string[];
};
