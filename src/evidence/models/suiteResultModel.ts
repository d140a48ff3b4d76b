// A suite: the cases declared before it ran, and one resolution for every one of them. A forgotten case makes it invalid.
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
  flaky: z.literal(true).optional().describe('It passed only when it was tried again.'),
  summary_path: z.string().regex(safePath).describe('Relative to the suite, without "..".'),
  summary_digest: digest.describe('Of the summary, whatever the order of its keys.'),
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
      .describe('As what it is counted. not_run: the run was asked for other cases only.'),
    removed: z.literal(true).optional().describe('The run before had it, and its document is gone now. It is listed once.'),
    claims: z
      .array(z.strictObject({ id: nonEmptyText, claim: nonEmptyText }))
      .min(1)
      .optional()
      .describe('What its document declares.'),
    blocked_by: z.array(nonEmptyText).min(1).optional().describe('The cases it depends on; for ordering_dependent only.'),
  })
  .refine((entry) => (entry.reason_class === 'ordering_dependent') === (entry.blocked_by !== undefined), {
    path: ['blocked_by'],
    message: 'Expected with ordering_dependent, and only there',
  })
  .refine((entry) => entry.reason_class !== 'oversight', {
    path: ['reason_class'],
    message: 'Expected every case to be run or left out for a reason',
  });

const totals = z
  .strictObject({
    ...{ declared: z.int().min(1), executed: count, not_executed: count },
    ...{ passed: count.optional(), failed: count.optional(), unknown: count.optional(), skipped: count.optional() },
    not_run: count.optional(),
  })
  .describe('Where the cases are counted by what came of them, none is left out.');

export const suiteResultModel = z
  .strictObject({
    $schema: schemaRef,
    suite_id: nonEmptyText,
    state: z
      .enum(['running', 'finished'])
      .optional()
      .describe('running: the run has begun and not ended, or was killed. Nothing is to be concluded from it.'),
    status: runStatus.optional().describe('What all cases prove together; unknown is never a pass.'),
    started_at: nonEmptyText
      .optional()
      .describe('When the first case began; of a run that left no package, when this was written.'),
    commits: z
      .array(
        z.strictObject({
          git_ref: nonEmptyText.optional(),
          git_dirty: z
            .boolean()
            .optional()
            .describe('Whether the work tree differed from that commit when the run began, or changed while it went on.'),
          git_changes: z.array(z.string()).optional(),
          git_changes_in_run: z.array(z.string()).optional(),
          tree_digest: nonEmptyText.optional(),
        }),
      )
      .min(1)
      .optional()
      .describe('The work trees that the cases ran on, as their summaries say.'),
    selection: z.array(nonEmptyText).min(1).optional().describe('The options of the command line that left cases out.'),
    scope_digest: digest.describe('Of suite-scope.json.'),
    totals,
    resolutions: z.array(z.discriminatedUnion('kind', [verdict, notExecuted])).min(1),
    problems: z.array(nonEmptyText).min(1).optional().describe('What went wrong in the run outside of the cases.'),
    notes: z.array(nonEmptyText).min(1).optional().describe('What is worth knowing of the run and no problem.'),
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
      context.addIssue({ code: 'custom', path: ['totals', 'declared'], message: 'Expected the sum of what is counted' });
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
