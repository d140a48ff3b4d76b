// Keeps the declared artifacts of a recipe as evidence under their names, in their order of importance.
import { extname } from 'node:path';
import * as z from 'zod';
import { type ActionContext, defineAction } from '../../../actions/action.js';
import type { Capture } from '../../../evidence/journal.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { readArtifact, resolveArtifacts } from '../artifacts.js';
import { isTemplateError } from '../templateError.js';

export const keep = defineAction({
  name: 'rw.keep',
  description: 'Keeps files of the project as named artifacts; one that is not there is listed as missing.',
  schema: z.strictObject({
    artifacts: z.record(z.string(), z.string()).describe('Paths by name, most important first; {name} stands for a value.'),
    values: z.record(z.string(), z.unknown()).optional(),
    defaults: z.record(z.string(), z.unknown()).optional(),
    args: z.array(z.unknown()).optional().describe('Declared arguments, name[:type][=default], whose defaults count.'),
  }),
  examples: [{ description: 'A report.', node: { action: 'rw.keep', artifacts: { report: 'out/report.md' } } }],
  effect: 'reads',
  captures: true,
  run({ artifacts, values = {}, defaults = {}, args }, context) {
    const found = resolvePaths(artifacts, { callerValues: values, defaults, args }).map(({ name, path }) => ({
      name,
      ...readArtifact(path, context),
    }));
    return {
      output: { artifacts: found.map(({ bytes: _, ...artifact }) => artifact) },
      artifacts: found.flatMap(({ name, path, bytes }) => (bytes ? [toCapture(name, path, { bytes, context })] : [])),
    };
  },
});

function resolvePaths(artifacts: Readonly<Record<string, string>>, layers: Parameters<typeof resolveArtifacts>[1]) {
  try {
    return resolveArtifacts(artifacts, layers);
  } catch (thrown) {
    if (isTemplateError(thrown)) throw new RecipeError('exec.unbound', 'action', `${thrown.message}. Nothing was kept.`);
    throw thrown;
  }
}

function toCapture(name: string, path: string, { bytes }: { bytes: Buffer; context: ActionContext }): Capture {
  const file = `artifacts/${name.replace(/[^\w.-]/g, '-')}${extname(path)}`;
  return { path: file, type: 'file', category: 'evidence', label: name, mimeType: 'application/octet-stream', body: bytes };
}
