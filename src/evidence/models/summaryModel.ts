// The model of summary.json. It accepts the summaries of recipewright, of the reference runner in both dialects, and of the
// reference runner's fixtures.

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
  artifact: nonEmptyText.describe('The file that has the whole message.'),
});

export const summaryModel = z.looseObject({
  $schema: schemaRef,
  status: runStatus.describe('The verdict on the run. Unknown is never a pass.'),
  reason: z.string().optional(),
  cause_class: causeClass.optional(),
  cause_counts: z.record(z.string(), count).optional(),
  total: count.optional().describe('The number of entries in the trace.'),
  passed: count.describe('The number of entries that are ok.'),
  failed: count.describe('The number of entries that are not ok.'),
  startedAt: z.string().optional(),
  endedAt: z.string().optional(),
  completedAt: z.string().optional().describe('The name of endedAt in older packages.'),
  durationMs: z.number().min(0).optional(),
  error: z.string().nullish(),
  proof: z.array(proof).optional().describe('The verdict on each claim.'),
  interruptedAt: z.array(nonEmptyText).optional(),
  verdicts: z
    .looseObject({ honest: runStatus, compat: runStatus })
    .optional()
    .describe('For a template recipe: the verdicts by our rules (honest) and by those of the reference runner (compat).'),
  signal: nonEmptyText.optional(),
  run: nonEmptyText.optional().describe('The unique id of the run.'),
  recipe: z.looseObject({ id: z.string(), digest: z.string(), title: z.string().optional() }).optional(),
  git_ref: nonEmptyText.optional().describe('The commit of the project under test.'),
  git_dirty: z
    .boolean()
    .optional()
    .describe('Whether the work tree differed from that commit when the run began, or changed during the run.'),
  git_changes: z.array(z.string()).optional().describe('The first of the files that differed when the run began.'),
  git_changes_in_run: z.array(z.string()).optional().describe('The first of the tracked files that changed during the run.'),
  tree_digest: nonEmptyText
    .optional()
    .describe('SHA-256 over the tree of the commit and the contents of the files that differed.'),
  inputs: z
    .record(z.string(), z.looseObject({ value: z.unknown(), origin: z.string() }))
    .optional()
    .describe('The inputs of the recipe, each with its origin.'),
  host: z.looseObject({ name: z.string(), version: z.string() }).optional(),
  host_failure: z.string().optional().describe('A failure that the host saw outside the journal.'),
  harness: harness.optional(),
  runner: runnerModel.optional(),
  fail_on_unexpected: failOnUnexpectedModel.optional(),
  issues: z.array(issue).optional().describe('Failures and unexpected logs, and whether each counts.'),
  more_issues: count.optional().describe('The number of issues that are not listed.'),
  package: z
    .looseObject({ digest: z.string(), files: count })
    .optional()
    .describe('SHA-256 over the paths, digests and sizes of the other files in the manifest, in its order.'),
  invocationDigest: z.string().optional(),
  flowResolution: z.unknown().optional(),
  recipeLibraries: z.unknown().optional(),
});

export type SummaryJson = z.infer<typeof summaryModel>;
