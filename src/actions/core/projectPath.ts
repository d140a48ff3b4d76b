// A path inside of the project, as far as its spelling tells; links are looked at when it is opened.
import * as z from 'zod';

export const projectPath = z
  .string()
  .regex(/^(?![\\/]|[A-Za-z]:)(?!(.*[\\/])?\.\.([\\/]|$)).+$/s, 'must be a relative path that stays inside of the project');
