// The model of suite.json: one resolution for every case that was declared before the run. A missing case makes the suite invalid.

import * as z from 'zod';
import { count, nonEmptyText, runStatus, safePath, schemaRef } from './fields.js';

const digest = z.string().regex(/^sha256:[a-f0-9]{64}$/);

export const suiteScopeModel = z
  .strictObject({ $schema: schemaRef, suite_id: nonEmptyText, cases: z.array(z.strictObject({ id: nonEmptyText })).min(1) })
  .superRefine(({ cases }, context) => refuseDuplicates(cases, 'id', { context, at: 'cases' }));

const verdict = z.strictObject({
  id: nonEmptyText,
  kind: z.literal('verdict'),
  status: runStatus,
  flaky: z.literal(true).optional().describe('The case passed only after a retry.'),
  summary_path: z.string().regex(safePath).describe('The path relative to the suite, without "..".'),
  summary_digest: digest.describe('The digest of the summary, independent of the order of its keys.'),
  reason: z.string().optional(),
});

const notExecuted = z
  .strictObject({
    id: nonEmptyText,
    kind: z.literal('not_executed'),
    reason_class: z.enum(['prerequisite_missing', 'ordering_dependent', 'needs_manual', 'oversight']),
    detail: nonEmptyText,
    outcome: z
      .enum(['unknown', 'skipped', 'not_run'])
      .optional()
      .describe('How the case is counted. not_run: the options of the run selected other cases.'),
    removed: z
      .literal(true)
      .optional()
      .describe(
        'The previous run had this case, and its document no longer exists. This index lists the case for the last time.',
      ),
    claims: z
      .array(z.strictObject({ id: nonEmptyText, claim: nonEmptyText }))
      .min(1)
      .optional()
      .describe('The claims that its document declares.'),
    blocked_by: z
      .array(nonEmptyText)
      .min(1)
      .optional()
      .describe('The cases on which this case depends, for ordering_dependent only.'),
  })
  .refine((entry) => (entry.reason_class === 'ordering_dependent') === (entry.blocked_by !== undefined), {
    path: ['blocked_by'],
    message: 'Expected with ordering_dependent only',
  })
  .refine((entry) => entry.reason_class !== 'oversight', {
    path: ['reason_class'],
    message: 'Expected every case to run, or to have a reason why not',
  });

const totals = z
  .strictObject({
    declared: z.int().min(1),
    executed: count,
    not_executed: count,
    passed: count.optional(),
    failed: count.optional(),
    unknown: count.optional(),
    skipped: count.optional(),
    not_run: count.optional(),
  })
  .describe('If passed, failed, unknown, skipped and not_run are given, they add up to declared.');

export const suiteResultModel = z
  .strictObject({
    $schema: schemaRef,
    suite_id: nonEmptyText,
    state: z
      .enum(['running', 'finished'])
      .optional()
      .describe('running: the run has not ended, or was killed, so it has no verdict yet.'),
    status: runStatus.optional().describe('The verdict on all cases together. Unknown is never a pass.'),
    started_at: nonEmptyText
      .optional()
      .describe('The time when the first case began. Without packages, the time when this file was written.'),
    commits: z
      .array(
        z.strictObject({
          git_ref: nonEmptyText.optional(),
          git_dirty: z
            .boolean()
            .optional()
            .describe('Whether the work tree differed from that commit when the run began, or changed during the run.'),
          git_changes: z.array(z.string()).optional(),
          git_changes_in_run: z.array(z.string()).optional(),
          tree_digest: nonEmptyText.optional(),
        }),
      )
      .min(1)
      .optional()
      .describe('The work trees on which the cases ran, from their summaries.'),
    selection: z
      .array(nonEmptyText)
      .min(1)
      .optional()
      .describe('The options of the command line that selected only some of the cases.'),
    scope_digest: digest.describe('The digest of suite-scope.json.'),
    totals,
    resolutions: z.array(z.discriminatedUnion('kind', [verdict, notExecuted])).min(1),
    problems: z.array(nonEmptyText).min(1).optional().describe('Problems of the run outside the cases.'),
    notes: z.array(nonEmptyText).min(1).optional().describe('Remarks on the run that are not problems.'),
  })
  .superRefine(({ totals, resolutions }, context) => {
    const verdicts = resolutions.filter((entry) => entry.kind === 'verdict');
    const counted = {
      declared: resolutions.length,
      executed: verdicts.length,
      not_executed: resolutions.length - verdicts.length,
    };
    for (const [name, value] of Object.entries(counted)) {
      if (totals[name as keyof typeof counted] !== value)
        context.addIssue({ code: 'custom', path: ['totals', name], message: `Expected ${value}, as in resolutions` });
    }
    const { declared, passed, failed, unknown, skipped, not_run } = totals;
    const parts = [passed, failed, unknown, skipped, not_run].filter((part) => part !== undefined);
    if (parts.length > 0 && parts.reduce((sum, part) => sum + part, 0) !== declared)
      context.addIssue({
        code: 'custom',
        path: ['totals', 'declared'],
        message: 'Expected the sum of passed, failed, unknown, skipped and not_run',
      });
    refuseDuplicates(resolutions, 'id', { context, at: 'resolutions' });
    refuseDuplicates(verdicts, 'summary_path', { context, at: 'resolutions' });
  });

function refuseDuplicates(list: readonly object[], key: string, { context, at }: { context: z.RefinementCtx; at: string }): void {
  const seen = new Set<unknown>();
  for (const [index, entry] of list.entries()) {
    const value = (entry as Record<string, unknown>)[key];
    if (seen.has(value))
      context.addIssue({ code: 'custom', path: [at, index, key], message: `Expected ${JSON.stringify(value)} only once` });
    seen.add(value);
  }
}
