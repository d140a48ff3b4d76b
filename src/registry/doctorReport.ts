// What `doctor --json` prints (Runner Protocol): whether recipes can run here, and if not, what is missing.
import * as z from 'zod';
import { nonEmptyText, openEnum, runStatus, schemaRef } from '../evidence/models/fields.js';

export const doctorCheckModel = z.looseObject({
  id: nonEmptyText,
  status: z.enum(['pass', 'fail', 'unknown', 'warn', 'skip']),
  category: openEnum(['tools', 'harness', 'runtime', 'fixtures', 'isolation', 'secrets']),
  message: nonEmptyText.describe('What was found.'),
  hint: nonEmptyText.optional().describe('What to do next.'),
  fix: nonEmptyText.optional().describe('What to do about it.'),
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
