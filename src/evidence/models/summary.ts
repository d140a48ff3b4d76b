// summary.json: ours, the reference's in both dialects, and the shorter form of its retained fixtures.
import { z } from 'zod';
import { causeClass, count, runnerModel, runStatus, schemaRef, text } from './fields.js';

const harness = z.looseObject({
  name: z.string(),
  version: z.string(),
  runner_protocol_version: z.literal(1).optional(),
  action_registry_version: z.literal(1).optional(),
  action_manifest_schema: z.string().optional(),
});

const proof = z.looseObject({
  id: text,
  claim: z.string(),
  status: z.enum(['proven', 'refuted', 'unproven', 'blocked']),
  held: count.optional(),
  failed: count.optional(),
  artifacts: count.optional(),
  reason: z.string().optional(),
});

export const summaryModel = z.looseObject({
  $schema: schemaRef,
  status: runStatus.describe('What the run proves; unknown is never a pass.'),
  reason: z.string().optional(),
  cause_class: causeClass.optional(),
  cause_counts: z.record(z.string(), count).optional(),
  total: count.optional().describe('Entries of the trace.'),
  passed: count.describe('Entries of the trace that are ok.'),
  failed: count.describe('Entries of the trace that are not.'),
  startedAt: z.string().optional(),
  endedAt: z.string().optional(),
  completedAt: z.string().optional().describe('The same as endedAt, in older packages.'),
  durationMs: z.number().min(0).optional(),
  error: z.string().nullish(),
  proof: z.array(proof).optional().describe('The verdict on each claim.'),
  interruptedAt: z.array(text).optional(),
  signal: text.optional(),
  recipe: z.looseObject({ id: z.string(), digest: z.string(), title: z.string().optional() }).optional(),
  host: z.looseObject({ name: z.string(), version: z.string() }).optional(),
  harness: harness.optional(),
  runner: runnerModel.optional(),
  invocationDigest: z.string().optional(),
  flowResolution: z.unknown().optional(),
  recipeLibraries: z.unknown().optional(),
});

export type SummaryJson = z.infer<typeof summaryModel>;
