// summary.json: ours, the reference's in both dialects, and the shorter form of its retained fixtures.
import * as z from 'zod';
import { causeClass, count, nonEmptyText, runnerModel, runStatus, schemaRef } from './fields.js';
import { failOnUnexpectedModel } from './journalLine.js';

const harness = z.looseObject({
  name: z.string(),
  version: z.string(),
  runner_protocol_version: z.literal(1).optional(),
  action_registry_version: z.literal(1).optional(),
  action_manifest_schema: z.string().optional(),
});

const proof = z.looseObject({
  id: nonEmptyText,
  claim: z.string(),
  status: z.enum(['proven', 'refuted', 'unproven', 'blocked']),
  held: count.optional(),
  failed: count.optional(),
  artifacts: count.optional(),
  reason: z.string().optional(),
});

const issue = z.looseObject({
  id: nonEmptyText,
  kind: z.enum(['failure', 'log']),
  level: z.enum(['error', 'warning', 'info']),
  source: z.string(),
  nodeId: nonEmptyText,
  message: z.string(),
  disposition: z.enum(['blocking', 'diagnostic', 'ignored']),
  artifact: nonEmptyText.describe('The file that has the whole text.'),
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
  interruptedAt: z.array(nonEmptyText).optional(),
  verdicts: z
    .looseObject({ honest: runStatus, compat: runStatus })
    .optional()
    .describe('Of a template recipe: by our rules, and as the reference of the format judges.'),
  signal: nonEmptyText.optional(),
  run: nonEmptyText.optional().describe('The id of the run; no other run has it.'),
  recipe: z.looseObject({ id: z.string(), digest: z.string(), title: z.string().optional() }).optional(),
  git_ref: nonEmptyText.optional().describe('The commit of the project under test.'),
  git_dirty: z
    .boolean()
    .optional()
    .describe('Whether the work tree differed from that commit when the run began, or changed while it went on.'),
  git_changes: z.array(z.string()).optional().describe('The first files that differed when the run began.'),
  git_changes_in_run: z.array(z.string()).optional().describe('The first tracked files that changed while the run went on.'),
  tree_digest: nonEmptyText
    .optional()
    .describe('SHA-256 over the tree of the commit and the contents of the files that differed.'),
  inputs: z
    .record(z.string(), z.looseObject({ value: z.unknown(), origin: z.string() }))
    .optional()
    .describe('What the recipe was given, and by whom.'),
  host: z.looseObject({ name: z.string(), version: z.string() }).optional(),
  host_failure: z.string().optional().describe('What the host says went wrong outside of the journal.'),
  harness: harness.optional(),
  runner: runnerModel.optional(),
  fail_on_unexpected: failOnUnexpectedModel.optional(),
  issues: z.array(issue).optional().describe('What failed or was logged unexpectedly, and whether it counts.'),
  more_issues: count.optional().describe('How many more issues there were than are listed.'),
  package: z
    .looseObject({ digest: z.string(), files: count })
    .optional()
    .describe('SHA-256 over the paths, digests and sizes of the other files the manifest lists, in its order.'),
  invocationDigest: z.string().optional(),
  flowResolution: z.unknown().optional(),
  recipeLibraries: z.unknown().optional(),
});

export type SummaryJson = z.infer<typeof summaryModel>;
