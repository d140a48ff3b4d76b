// The shape of a classic Recipe v1 document, as written (spec §4, §5, §8, §10). The JSON Schemas in schemas/ are generated from
// it.

import * as z from 'zod';
import type { Assertion } from '../../recipe/recipe.js';

const text = z.string().min(1);
const durationMs = z.int().min(1).max(86_400_000);
const jsonSchema = z.record(z.string(), z.unknown()).describe('A JSON Schema.');

const compound = (): z.ZodArray<z.ZodType<Assertion>> => z.array(assertion).min(1);

const assertion: z.ZodType<Assertion> = z
  .lazy(() =>
    z.union([
      z.strictObject({ all: compound() }),
      z.strictObject({ any: compound() }),
      z.strictObject({ none: compound() }),
      z.strictObject({
        operator: text.optional().describe('exists, eq, contains, … or an operator of the project. Default: truthy.'),
        source: text.optional().describe('An earlier node, inputs, params, saved, state:<ref> or output.'),
        path: text.optional().describe("$, $.a.b, $.a[0] or $['odd key']"),
        value: z.unknown().optional(),
        param: text.optional().describe('The flow param or the input to compare with.'),
      }),
    ]),
  )
  .meta({ id: 'assertion' }) as z.ZodType<Assertion>;

export const assertionFields = ['all', 'any', 'none', 'operator', 'source', 'path', 'value', 'param'];

const phase = z.enum(['setup', 'start_state', 'proof', 'assert', 'teardown']);
const record = z.enum(['none', 'trace_only', 'proof_window', 'failure_only']);
const reference = z.strictObject({ source: text, path: text.optional() });

/** The fields that every node may have. Other fields belong to its action. */
export const nodeModel = z
  .looseObject({
    id: text.optional().describe('The id of a node in setup or teardown.'),
    action: text.describe('An official action, or an action of the project, which has a namespace.'),
    intent: z.string().optional().describe('What this step does, in a sentence for the person who watches.'),
    description: z.string().optional(),
    note: z.string().optional().describe('For the reader of the recipe.'),
    detail: z.string().optional().describe('For the trace. The HUD shows it only on request.'),
    next: text.optional().describe('The node that follows.'),
    cases: z.array(z.strictObject({ when: assertion, next: text })).optional(),
    default: text.optional().describe('The next node of a switch when no case holds.'),
    params: z.record(z.string(), z.unknown()).optional().describe('Params for the flow of a call.'),
    assert: assertion.optional(),
    when: assertion.optional().describe('Runs the node only when this holds.'),
    unless: assertion.optional().describe('Skips the node when this holds.'),
    phase: phase.optional(),
    record: record.optional(),
    proofTarget: text.optional().describe('The claim that this node helps to prove.'),
    claims: z.strictObject({ must_show: z.array(text).optional(), must_not_show: z.array(text).optional() }).optional(),
    covers: z.array(text).optional(),
    observe: z.union([z.boolean(), z.array(text)]).optional(),
    timeout_ms: durationMs.optional(),
    save_as: text.optional().describe('Saves the output as saved.<name>.'),
    get rw() {
      return controls.optional();
    },
    get body() {
      return bodyModel.optional();
    },
  })
  .meta({ id: 'node' });

/** Additions of recipewright to Recipe v1. */
const controls = z.strictObject({
  on_fail: z.enum(['stop', 'continue', 'abort', 'note']).optional().describe('note: the recipe continues, and fails at its end.'),
  get retry() {
    return z.strictObject({ max: z.int().min(1).max(100), recover: nodeModel.optional() }).optional();
  },
  in: z.record(z.string(), reference).optional(),
  cases: z.record(z.string(), text).optional().describe('The next node for each case that the action reports.'),
  proves: z.array(text).min(1).optional().describe('All claims that this node helps to prove.'),
  templates: z.literal('outputs').optional().describe('Texts of this node may have references like {{outputs.node.path}}.'),
});

const bodyModel = z.strictObject({
  entry: text.optional(),
  get nodes() {
    return z.record(z.string(), nodeModel);
  },
  edges: z.array(z.strictObject({ from: text, to: text, when: assertion.optional(), intent: text.optional() })).optional(),
});

const graph = { entry: text.describe('The first node.'), nodes: z.record(z.string(), nodeModel) };

export const flowModel = z.strictObject({
  version: z.union([z.int().min(1), text]).optional(),
  description: z.string().optional().describe('The state or the behavior that the flow provides.'),
  paramsSchema: jsonSchema.optional(),
  outputsSchema: jsonSchema.optional(),
  defaultPhase: phase.optional(),
  defaultRecord: record.optional(),
  requiresActions: z.array(text).optional(),
  postcondition: assertion.optional().describe('Must hold when the flow ends. An ensure_* flow needs one.'),
  workflow: z.strictObject(graph).optional(),
  entry: graph.entry.optional().describe('With "nodes", instead of "workflow".'),
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
  flow_budget: z.int().min(1).optional().describe('The maximum number of flows in the catalog.'),
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
  pre_conditions: z.array(preCondition).optional().describe('Conditions that are checked before the first node runs.'),
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
  blocked: text.optional().describe('Why the claim cannot be proven now.'),
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
