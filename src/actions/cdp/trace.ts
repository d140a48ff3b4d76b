import type { Browser } from '@playwright/test';
import * as z from 'zod';
import { isTracing, startTrace, stopTrace } from '../../browser/browserTrace.js';
import { isChromium, notChromiumError } from '../../browser/chromiumSession.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, type ActionResult, defineAction } from '../action.js';
import { currentRunPages, pageOf, withPageErrors } from '../ui/withPageErrors.js';
import { captureLogFile } from './captureLogFile.js';

const defaultCategories = ['devtools.timeline', 'blink.user_timing', 'loading'];

export const trace = defineAction({
  name: 'cdp.trace',
  description:
    "Records a performance trace of Chromium from `start` to `stop` and stores it as a file for Chromium's tools, at most 10 MB.",
  schema: z.strictObject({
    mode: z.enum(['start', 'stop']),
    categories: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(`For start: the trace categories. Default: ${defaultCategories.join(', ')}.`),
  }),
  examples: [
    { description: 'Record the timeline.', node: { action: 'cdp.trace', mode: 'start', categories: ['devtools.timeline'] } },
    {
      description: 'Store the trace.',
      node: { action: 'cdp.trace', mode: 'stop', assert: { path: '$.events', operator: 'gt', value: 0 } },
    },
  ],
  effect: 'reads',
  fallible: () => false,
  needs: ['page'],
  worksOverCdpPort: true,
  async run({ mode, categories = defaultCategories }, context) {
    return mode === 'start' ? start(categories, context) : stop(context);
  },
});

async function start(categories: readonly string[], context: ActionContext): Promise<ActionResult> {
  const browser = browserOf(context);
  if (isTracing(browser, currentRunPages(context)))
    throw new RecipeError(
      'cdp.trace_running',
      'action',
      'A trace is already being recorded. Use mode "stop" before another "start".',
    );
  await withPageErrors(() => startTrace(browser, currentRunPages(context), categories), context);
  return { output: { recording: true, categories } };
}

async function stop(context: ActionContext): Promise<ActionResult> {
  const browser = browserOf(context);
  if (!isTracing(browser, currentRunPages(context)))
    throw new RecipeError('cdp.no_trace', 'action', 'No trace is being recorded. Use mode "start" first.');
  const { body, events, wasTruncated } = await withPageErrors(() => stopTrace(browser), context);
  const file = captureLogFile(context, { folder: 'traces', extension: 'json', label: 'Browser trace', body });
  return { output: { recording: false, events, bytes: body.length, wasTruncated, path: file.path }, artifacts: [file] };
}

function browserOf(context: ActionContext): Browser {
  const page = pageOf(context);
  const browser = page.context().browser();
  if (browser && isChromium(page)) return browser;
  throw notChromiumError(page);
}
