// The action rw.keep copies the declared artifacts of a recipe into the evidence package, under their names and in the author's
// order.
import { extname } from 'node:path';
import * as z from 'zod';
import { type ActionContext, defineAction } from '../../../actions/action.js';
import type { Capture } from '../../../evidence/journal.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { readArtifact, resolveArtifacts } from '../artifacts.js';
import { isTemplateError } from '../templateError.js';

export const keep = defineAction({
  name: 'rw.keep',
  description:
    'Copies files of the project into the package as named artifacts. A file that does not exist is listed as missing.',
  schema: z.strictObject({
    artifacts: z.record(z.string(), z.string()).describe('Paths by name, most important first. {name} is replaced by a value.'),
    values: z.record(z.string(), z.unknown()).optional(),
    defaults: z.record(z.string(), z.unknown()).optional(),
    args: z.array(z.unknown()).optional().describe('Declared arguments, name[:type][=default]. Their defaults apply.'),
  }),
  examples: [{ description: 'A report.', node: { action: 'rw.keep', artifacts: { report: 'out/report.md' } } }],
  effect: 'reads',
  captures: true,
  run({ artifacts, values = {}, defaults = {}, args }, context) {
    const files = resolvePaths(artifacts, { callerValues: values, defaults, args }).map(({ name, path }) => ({
      name,
      ...readArtifact(path, context),
    }));
    return {
      output: { artifacts: files.map(({ bytes: _, ...artifact }) => artifact) },
      artifacts: files.flatMap(({ name, path, bytes }) => (bytes ? [toCapture(name, path, { bytes, context })] : [])),
    };
  },
});

function resolvePaths(artifacts: Readonly<Record<string, string>>, layers: Parameters<typeof resolveArtifacts>[1]) {
  try {
    return resolveArtifacts(artifacts, layers);
  } catch (thrown) {
    if (isTemplateError(thrown)) throw new RecipeError('exec.unbound', 'action', `${thrown.message}. No artifact was copied.`);
    throw thrown;
  }
}

function toCapture(name: string, path: string, { bytes }: { bytes: Buffer; context: ActionContext }): Capture {
  const file = `artifacts/${name.replace(/[^\w.-]/g, '-')}${extname(path)}`;
  return { path: file, type: 'file', category: 'evidence', label: name, mimeType: 'application/octet-stream', body: bytes };
}
