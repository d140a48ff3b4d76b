// The lines of the journal: a run line first, then a begin line and an end line for each node, and an end line for the run.

import * as z from 'zod';
import { causeClass, pageFields, runnerModel, runStatus } from './fields.js';

const inputOrigin = z.enum(['recipe', 'config', 'env', 'cli', 'api', 'secret-ref']);
const common = {
  v: z.literal(1),
  seq: z.int(),
  at: z.string().describe('The time of day, for readers. seq gives the order of the lines.'),
  prev: z.string().describe('SHA-256 of the previous line. Empty in the first line.'),
  path: z.string().describe('The run path of the node. Empty in the lines of the run itself.'),
  visit: z.int(),
  attempt: z.int(),
};

const assertModel = z.looseObject({
  operator: z.string(),
  path: z.string(),
  source: z.string().optional(),
  expected: z.unknown().optional(),
  actual: z.unknown().optional(),
  missing: z.literal(true).optional(),
  held: z.boolean(),
  proofTarget: z.string().optional(),
});

const artifactModel = z.object({
  path: z.string(),
  type: z.string(),
  category: z.string().optional(),
  label: z.string().optional(),
  nodeId: z.string().optional(),
  proofTarget: z.string().optional(),
  mimeType: z.string().optional(),
  ...pageFields,
  sha256: z.string(),
  size: z.int(),
});

export const failOnUnexpectedModel = z
  .object({ enabled: z.boolean().optional(), levels: z.array(z.string()).optional(), allow: z.array(z.unknown()).optional() })
  .describe('Whether unexpected logs fail the run, at which levels, and which messages are allowed.');

export const loggedIssueModel = z.object({
  level: z.enum(['error', 'warning', 'info']),
  source: z.string(),
  message: z.string(),
});

const runLine = z.object({
  ...common,
  t: z.literal('run'),
  run: z.string().describe('The unique id of this run.'),
  recipe: z.object({ id: z.string(), digest: z.string(), title: z.string().optional() }),
  tool: z.object({ name: z.string(), version: z.string() }),
  host: z.object({ name: z.string(), version: z.string() }),
  inputs: z.record(z.string(), z.object({ value: z.unknown(), origin: inputOrigin })),
  runner: runnerModel.optional(),
  git_ref: z.string().optional().describe('The commit of the project under test.'),
  git_dirty: z.boolean().optional().describe('Whether the work tree differed from that commit when the run began.'),
  git_changes: z.array(z.string()).optional().describe('The first of the files that differed.'),
  tree_digest: z.string().optional().describe('SHA-256 over the tree of the commit and the contents of the files that differed.'),
  fail_on_unexpected: failOnUnexpectedModel.optional(),
  allow_blocked: z.literal(true).optional().describe('The run may pass with blocked claims.'),
  judged_as: z
    .enum(['honest', 'compat'])
    .optional()
    .describe(
      'For a format whose reference runner is less strict: whether the verdict follows our rules (honest) or those of the reference (compat).',
    ),
  targets: z.array(z.object({ id: z.string(), claim: z.string(), visible: z.boolean(), blocked: z.string().optional() })),
});

const beginLine = z.object({
  ...common,
  t: z.literal('begin'),
  action: z.string(),
  intent: z.string().optional(),
  phase: z.string().optional(),
  record: z.string().optional(),
  proofTarget: z.string().optional(),
  proves: z.array(z.string()).optional().describe('All claims of the node, when it has more than one.'),
  fallible: z.literal(true).optional().describe('This node could have failed.'),
  decision: z.object({ skip: z.string().optional(), items: z.int().optional(), refused: z.literal(true).optional() }).optional(),
});

const endLine = z.object({
  ...common,
  t: z.literal('end'),
  ms: z.number(),
  ok: z.boolean(),
  tolerated: z.literal(true).optional(),
  final: z
    .literal(true)
    .optional()
    .describe('The node was stopped from outside, or failed after its work was done. It is neither retried nor tolerated.'),
  noted: z.literal(true).optional().describe('The node failed with on_fail note: the recipe continues, but the run fails.'),
  retried: z.literal(true).optional().describe('The node failed, and another attempt follows.'),
  status: runStatus.optional().describe('The status of the run or of an end node.'),
  next: z.string().optional(),
  decision: z.object({ case: z.string().optional(), fired: z.array(z.int()).optional() }).optional(),
  asserts: z.array(assertModel).optional(),
  output: z.unknown().optional(),
  artifacts: z.array(artifactModel).optional(),
  issues: z.array(loggedIssueModel).optional().describe('Unexpected logs during the node.'),
  error: z.object({ code: z.string(), message: z.string(), cause_class: causeClass }).optional(),
  signal: z.string().optional(),
  removed: z.array(z.string()).optional().describe('Artifacts that were removed because they contained a secret.'),
  git_changes_in_run: z.array(z.string()).optional().describe('The first of the tracked files that changed during the run.'),
});

export const lineModel = z.discriminatedUnion('t', [runLine, beginLine, endLine]);

export type InputOrigin = z.infer<typeof inputOrigin>;
export type RunLine = z.infer<typeof runLine>;
export type BeginLine = z.infer<typeof beginLine>;
export type EndLine = z.infer<typeof endLine>;
export type JournalLine = RunLine | BeginLine | EndLine;
export type Assert = z.infer<typeof assertModel>;
export type Artifact = z.infer<typeof artifactModel>;
export type LoggedIssue = z.infer<typeof loggedIssueModel>;
export type FailOnUnexpected = z.infer<typeof failOnUnexpectedModel>;
