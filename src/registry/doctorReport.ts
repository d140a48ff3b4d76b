// What `doctor --json` prints (Runner Protocol): whether recipes can run here, and if not, what is missing.
import * as z from 'zod';
import { runStatus, schemaRef, text, wordOf } from '../evidence/models/fields.js';

export const doctorCheckModel = z.looseObject({
  id: text,
  status: z.enum(['pass', 'fail', 'unknown', 'warn', 'skip']),
  category: wordOf(['tools', 'harness', 'runtime', 'fixtures', 'isolation', 'secrets']),
  message: text.describe('What was found.'),
  hint: text.optional().describe('What to do next.'),
  fix: text.optional().describe('What to do about it.'),
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
