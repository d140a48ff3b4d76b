// The shape of a classic Recipe v1 document, as authored (spec §4, §5, §8, §10). The JSON Schemas in schemas/ are generated from it.
import * as z from 'zod';
import type { Assertion } from '../../recipe/recipe.js';

const text = z.string().min(1);
const durationMs = z.int().min(1).max(86_400_000);
const jsonSchema = z.record(z.string(), z.unknown()).describe('A JSON Schema.');

const compound = (): z.ZodArray<z.ZodType<Assertion>> => z.array(assertion).min(1);

export const assertion: z.ZodType<Assertion> = z
  .lazy(() =>
    z.union([
      z.strictObject({ all: compound() }),
      z.strictObject({ any: compound() }),
      z.strictObject({ none: compound() }),
      z.strictObject({
        operator: text.optional().describe('exists, eq, contains, … or one declared by the project; truthy when it is left out.'),
        source: text.optional().describe('A former node, inputs, params, saved, state:<ref> or output.'),
        path: text.optional().describe("$, $.a.b, $.a[0] or $['odd key']"),
        value: z.unknown().optional(),
        param: text.optional().describe('Compares with the flow or input parameter of this name.'),
      }),
    ]),
  )
  .meta({ id: 'assertion' }) as z.ZodType<Assertion>;

export const assertionFields = ['all', 'any', 'none', 'operator', 'source', 'path', 'value', 'param'];

const phase = z.enum(['setup', 'start_state', 'proof', 'assert', 'teardown']);
const record = z.enum(['none', 'trace_only', 'proof_window', 'failure_only']);
const reference = z.strictObject({ source: text, path: text.optional() });

/** The fields any node may have; what else stands there belongs to its action. */
export const nodeModel = z
  .looseObject({
    id: text.optional().describe('Of a node in setup or teardown.'),
    action: text.describe('An official action, or one of the project with a namespace.'),
    intent: z.string().optional().describe('What is being done now, as a sentence for the person who watches.'),
    description: z.string().optional(),
    note: z.string().optional().describe('For the reader of the recipe.'),
    detail: z.string().optional().describe('For the trace; the HUD shows it only when asked to.'),
    next: text.optional().describe('The node that follows.'),
    cases: z.array(z.strictObject({ when: assertion, next: text })).optional(),
    default: text.optional().describe('Where a switch goes when no case holds.'),
    params: z.record(z.string(), z.unknown()).optional().describe('For the flow of a call.'),
    assert: assertion.optional(),
    when: assertion.optional().describe('Runs the node only when this holds.'),
    unless: assertion.optional().describe('Skips the node when this holds.'),
    phase: phase.optional(),
    record: record.optional(),
    proofTarget: text.optional().describe('The claim this node serves.'),
    claims: z.strictObject({ must_show: z.array(text).optional(), must_not_show: z.array(text).optional() }).optional(),
    covers: z.array(text).optional(),
    observe: z.union([z.boolean(), z.array(text)]).optional(),
    timeout_ms: durationMs.optional(),
    save_as: text.optional().describe('Keeps the output under saved.<name>.'),
    get rw() {
      return controls.optional();
    },
    get body() {
      return bodyModel.optional();
    },
  })
  .meta({ id: 'node' });

/** What Recipe v1 lacks, written additively. */
const controls = z.strictObject({
  on_fail: z
    .enum(['stop', 'continue', 'abort', 'note'])
    .optional()
    .describe('note: what follows runs on, and the recipe has failed all the same.'),
  get retry() {
    return z.strictObject({ max: z.int().min(1).max(100), recover: nodeModel.optional() }).optional();
  },
  in: z.record(z.string(), reference).optional(),
  cases: z.record(z.string(), text).optional().describe('Where to go on, by the case the action gives.'),
  proves: z.array(text).min(1).optional().describe('All the claims this node serves.'),
  templates: z.literal('outputs').optional().describe('Texts of this node may hold {{outputs.node.path}}.'),
});

const bodyModel = z.strictObject({
  entry: text.optional(),
  get nodes() {
    return z.record(z.string(), nodeModel);
  },
  edges: z.array(z.strictObject({ from: text, to: text, when: assertion.optional(), intent: text.optional() })).optional(),
});

const graph = { entry: text.describe('The node to begin with.'), nodes: z.record(z.string(), nodeModel) };

export const flowModel = z.strictObject({
  version: z.union([z.int().min(1), text]).optional(),
  description: z.string().optional().describe('What baseline or behavior the flow provides.'),
  paramsSchema: jsonSchema.optional(),
  outputsSchema: jsonSchema.optional(),
  defaultPhase: phase.optional(),
  defaultRecord: record.optional(),
  requiresActions: z.array(text).optional(),
  postcondition: assertion.optional().describe('Holds when the flow has done its work; an ensure_* flow must have one.'),
  workflow: z.strictObject(graph).optional(),
  entry: graph.entry.optional().describe('With "nodes", in place of "workflow".'),
  nodes: graph.nodes.optional(),
  examples: z.array(z.unknown()).optional(),
  provenance: z.record(z.string(), z.unknown()).optional(),
  lastVerified: z.unknown().optional(),
});

export const catalogModel = z.strictObject({
  $schema: z.string().optional(),
  schema_version: z.literal(1),
  kind: z.literal('recipe-flow-catalog'),
  owner: text.optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  flow_budget: z.int().min(1).optional().describe('How many flows the catalog is meant to have at most.'),
  flows: z.record(z.string(), flowModel),
});

const preCondition = z.union([
  text,
  z.strictObject({
    id: text,
    description: z.string().optional(),
    params: z.record(z.string(), z.unknown()).optional(),
    required: z.boolean().optional(),
  }),
]);

export const workflowModel = z.strictObject({
  ...graph,
  pre_conditions: z.array(preCondition).optional().describe('Gates that are checked before anything runs.'),
  setup: z.array(nodeModel).optional(),
  teardown: z.array(nodeModel).optional(),
  playback: z
    .strictObject({ mode: z.enum(['off', 'auto', 'step']).optional(), slow_ms: z.int().min(100).max(60_000).optional() })
    .optional(),
});

export const proofTargetModel = z.strictObject({
  id: text,
  claim: text,
  description: z.string().optional(),
  blocked: text.optional().describe('Why it cannot be proven now.'),
});

export const recipeModel = z.strictObject({
  $schema: z.string().optional(),
  schema_version: z.literal(1),
  title: z.string().optional(),
  description: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  uses: z.array(text).optional().describe('Flow catalogs: paths in the project, packages, or aliases.'),
  proofTargets: z.array(proofTargetModel).optional(),
  startState: nodeModel.optional(),
  flows: z.record(z.string(), flowModel).optional(),
  fail_on_unexpected: z
    .strictObject({ enabled: z.boolean().optional(), levels: z.array(text).optional(), allow: z.array(z.unknown()).optional() })
    .optional(),
  validate: z.strictObject({ workflow: workflowModel }),
});

export type NodeJson = z.infer<typeof nodeModel>;
export type BodyJson = z.infer<typeof bodyModel>;
export type FlowJson = z.infer<typeof flowModel>;
export type RecipeJson = z.infer<typeof recipeModel>;
