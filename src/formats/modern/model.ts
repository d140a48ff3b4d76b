// The shape of a modern Recipe v1 document, as authored. What an action's own fields hold is the action's affair.
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
  paramsSchema: paramsSchema.optional().describe('What the recipe takes, as {{params.<name>}} in every node.'),
  proofTargets: z
    .array(z.strictObject({ id: text, claim: text, blocked: text.optional().describe('Why it cannot be proven now.') }))
    .optional(),
  workflow: z.strictObject({
    entry: text.describe('The node to begin with.'),
    nodes: z
      .record(z.string().regex(/^[\w-]+$/, 'An id has only letters, digits, "_" and "-"'), z.looseObject({}))
      .refine((nodes) => Object.keys(nodes).length > 0, 'There is no node'),
    teardown: text.optional().describe('The first node of the clean-up, a graph of its own.'),
  }),
});

const proves = z
  .array(text)
  .refine((ids) => new Set(ids).size === ids.length, 'An id is given twice')
  .optional()
  .describe('The claims this node serves.');

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
    .refine((cases) => Object.keys(cases).length > 0, 'There is no case')
    .optional()
    .describe('Where to go on, by the name of the case that the action gives.'),
  default: text.optional(),
  proves,
});

/** The model of one node, by its action. */
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
