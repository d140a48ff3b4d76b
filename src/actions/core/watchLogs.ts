import { z } from 'zod';
import { declareAction } from '../action.js';
import { projectPath } from './projectPath.js';

export const watchLogs = declareAction({
  name: 'watch_logs',
  description: 'Looks into a log file, by default only at what was written since the run began.',
  schema: z.strictObject({
    path: projectPath.describe('Relative to the project.'),
    contains: z.string().min(1).optional(),
    scope: z.enum(['run', 'file']).default('run'),
  }),
  examples: [
    { description: 'The order was logged.', node: { action: 'watch_logs', path: 'logs/app.log', contains: 'order confirmed' } },
  ],
  effect: 'reads',
  asserts: ({ fields }) => fields.contains !== undefined,
});
