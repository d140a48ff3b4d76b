import * as z from 'zod';
import { defineAction } from '../action.js';
import { readPage } from '../ui/readPage.js';

export const trace = defineAction({
  name: 'app.trace',
  description: 'Reads the latest performance entries of the page: resources, marks, measures and paints.',
  schema: z.strictObject({
    limit: z.int().min(1).max(1_000).optional().describe('The maximum number of entries. Default: 20.'),
    type: z.string().min(1).optional().describe('Only entries of this type: navigation, resource, mark, measure, paint …'),
    name: z
      .string()
      .min(1)
      .optional()
      .describe('Only entries whose name contains this string. The name of a resource is its URL.'),
  }),
  examples: [
    { description: 'The resources that were loaded last.', node: { action: 'app.trace', type: 'resource', limit: 5 } },
    {
      description: 'The checkout takes less than 500 ms.',
      node: {
        action: 'app.trace',
        type: 'measure',
        name: 'checkout',
        assert: { path: '$.entries[0].duration', operator: 'lt', value: 500 },
      },
    },
  ],
  effect: 'reads',
  fallible: () => false,
  needs: ['page'],
  async run({ limit = 20, type, name }, context) {
    const query = JSON.stringify({ limit, type, name });
    return { output: await readPage<object>(context, `(${readEntries})(${query})`) };
  },
});

const readEntries = `({ limit, type, name }) => {
  const all = performance
    .getEntries()
    .filter((entry) => (!type || entry.entryType === type) && (!name || entry.name.includes(name)));
  const entries = all.slice(-limit).map((entry) => ({
    name: entry.name.slice(0, 2000),
    type: entry.entryType,
    start: Math.round(entry.startTime * 10) / 10,
    duration: Math.round(entry.duration * 10) / 10,
    ...('transferSize' in entry ? { bytes: entry.transferSize, status: entry.responseStatus } : {}),
  }));
  return { count: all.length, entries };
}`;
