// The report of `doctor --json` (Runner Protocol): whether recipes can run on this machine, and what is missing if not.

import * as z from 'zod';
import { nonEmptyText, openEnum, runStatus, schemaRef } from '../evidence/models/fields.js';

const doctorCheckModel = z.looseObject({
  id: nonEmptyText,
  status: z.enum(['pass', 'fail', 'unknown', 'warn', 'skip']),
  category: openEnum(['tools', 'harness', 'runtime', 'fixtures', 'isolation', 'secrets']),
  message: nonEmptyText.describe('The result of the check.'),
  hint: nonEmptyText.optional().describe('The next step for the user.'),
  fix: nonEmptyText.optional().describe('How to fix the problem.'),
});

export const doctorReportModel = z
  .looseObject({
    $schema: schemaRef,
    runner_protocol_version: z.literal(1),
    status: runStatus.describe('pass only when no check failed.'),
    checks: z.array(doctorCheckModel),
  })
  .refine(({ status, checks }) => status !== 'pass' || !checks.some((check) => check.status === 'fail'), {
    path: ['status'],
    message: 'Expected fail, as a check failed',
  });

export type DoctorReport = z.infer<typeof doctorReportModel>;
