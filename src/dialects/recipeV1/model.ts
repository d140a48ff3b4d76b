// The shape of a classic Recipe v1 document, as authored. The JSON Schema in schemas/ is generated from it.
import { z } from 'zod';
import type { Assertion } from '../../graph/predicate.js';

const text = z.string().min(1);
const durationMs = z.int().min(1).max(86_400_000);

const assertion: z.ZodType<Assertion> = z.lazy(() =>
  z.union([
    z.strictObject({ all: z.array(assertion).min(1) }),
    z.strictObject({ any: z.array(assertion).min(1) }),
    z.strictObject({ none: z.array(assertion).min(1) }),
    z.strictObject({
      operator: text.optional(),
      source: text.optional(),
      path: text.optional(),
      value: z.unknown().optional(),
      param: text.optional(),
    }),
  ]),
) as z.ZodType<Assertion>;

const status = z.enum(['pass', 'fail', 'unknown']);
const reference = z.strictObject({ source: text, path: text.optional() });

export const nodeModel = z.looseObject({
  action: text.describe('Official or runner-declared action.'),
  intent: z.string().optional().describe('What is being done now, as a sentence for the person who watches.'),
  next: text.optional(),
  cases: z.array(z.strictObject({ when: assertion, next: text })).optional(),
  default: text.optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  assert: assertion.optional(),
  when: assertion.optional(),
  unless: assertion.optional(),
  phase: z.enum(['setup', 'start_state', 'proof', 'assert', 'teardown']).optional(),
  record: z.enum(['none', 'trace_only', 'proof_window', 'failure_only']).optional(),
  proofTarget: text.optional(),
  timeout_ms: durationMs.optional(),
  save_as: text.optional(),
  get rw() {
    return controls.optional();
  },
  get body() {
    return bodyModel.optional();
  },
});

/** What Recipe v1 lacks, written additively. */
const controls = z.strictObject({
  on_fail: z.enum(['stop', 'continue', 'abort']).optional(),
  get retry() {
    return z.strictObject({ max: z.int().min(1).max(100), recover: nodeModel.optional() }).optional();
  },
  in: z.record(z.string(), reference).optional(),
});

const bodyModel = z.strictObject({
  entry: text.optional(),
  get nodes() {
    return z.record(z.string(), nodeModel);
  },
  edges: z.array(z.strictObject({ from: text, to: text, when: assertion.optional() })).optional(),
});

const graph = { entry: text, nodes: z.record(z.string(), nodeModel) };

const flowModel = z.looseObject({
  description: z.string().optional(),
  postcondition: assertion.optional(),
  workflow: z.looseObject(graph),
});

export const catalogModel = z.looseObject({ flows: z.record(z.string(), flowModel) });

export const recipeModel = z.looseObject({
  $schema: z.string().optional(),
  schema_version: z.literal(1),
  title: z.string().optional(),
  description: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  uses: z.array(text).optional(),
  proofTargets: z.array(z.looseObject({ id: text, claim: text, blocked: text.optional() })).optional(),
  startState: nodeModel.optional(),
  flows: z.record(z.string(), flowModel).optional(),
  validate: z.looseObject({
    workflow: z.looseObject({
      ...graph,
      setup: z.array(nodeModel).optional(),
      teardown: z.array(nodeModel).optional(),
    }),
  }),
});

export const terminalStatus = status;
export type NodeJson = z.infer<typeof nodeModel>;
export type BodyJson = z.infer<typeof bodyModel>;
export type FlowJson = z.infer<typeof flowModel>;
export type RecipeJson = z.infer<typeof recipeModel>;
