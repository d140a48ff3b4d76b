import * as z from 'zod';
import { openChromiumSession } from '../../browser/chromiumSession.js';
import { findNearest } from '../../document/didYouMean.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { defineAction } from '../action.js';
import { pageOf, withPageErrors } from '../ui/withPageErrors.js';

export const metrics = defineAction({
  name: 'cdp.metrics',
  description: "Reads Chromium's performance metrics of the page. Times are in seconds, sizes in bytes.",
  schema: z.strictObject({
    names: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('The metrics to read, such as JSHeapUsedSize, Nodes, LayoutCount or TaskDuration. Default: all.'),
  }),
  examples: [
    {
      description: 'The page has fewer than 5,000 DOM nodes.',
      node: {
        action: 'cdp.metrics',
        names: ['Nodes'],
        assert: { path: '$.metrics.Nodes', operator: 'lt', value: 5_000 },
      },
    },
  ],
  effect: 'reads',
  fallible: () => false,
  needs: ['page'],
  worksOverCdpPort: true,
  async run({ names }, context) {
    const all = await withPageErrors(async () => {
      const session = await openChromiumSession(pageOf(context));
      await session.send('Performance.enable');
      return (await session.send('Performance.getMetrics')).metrics;
    }, context);
    const known = new Map(all.map(({ name, value }) => [name, value]));
    return { output: { metrics: Object.fromEntries((names ?? [...known.keys()]).map((name) => [name, metricOf(name, known)])) } };
  },
});

function metricOf(name: string, known: ReadonlyMap<string, number>): number {
  const value = known.get(name);
  if (value !== undefined) return value;
  const nearest = findNearest(name, [...known.keys()]);
  const hint = nearest === undefined ? '' : ` Did you mean ${JSON.stringify(nearest)}?`;
  const message = `There is no metric ${JSON.stringify(name)}.${hint} Chromium has: ${[...known.keys()].join(', ')}.`;
  throw new RecipeError('cdp.unknown_metric', 'action', message);
}
