import { z } from 'zod';
import { declareAction } from '../action.js';

const text = z.string().min(1);

const artifact = z.strictObject({
  path: text.describe('Relative to the project; kept under the same path in the package.'),
  type: text.optional(),
  label: text.optional(),
  nodeId: text.optional(),
  mimeType: text.optional(),
  category: text.optional(),
  proofTarget: text.optional(),
  covers: z.array(text).optional(),
});

export const indexArtifacts = declareAction({
  name: 'index_artifacts',
  description: 'Keeps files of the project as evidence.',
  schema: z.strictObject({ artifacts: z.array(z.union([text, artifact])).min(1) }),
  examples: [
    {
      description: 'Publish report and log.',
      node: { action: 'index_artifacts', artifacts: ['reports/api.json', 'logs/api.log'] },
    },
  ],
  effect: 'reads',
  captures: true,
});
