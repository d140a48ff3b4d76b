import * as z from 'zod';
import { createNetworkBlock } from '../../browser/networkBlock.js';
import { closeNetworkLog, type Exchange, type Outcome, openNetworkLog, toHar } from '../../browser/networkLog.js';
import { settingsOf } from '../../browser/pageSettings.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, type ActionResult, defineAction, type Effect } from '../action.js';
import { currentRunPages, withPageErrors } from '../ui/withPageErrors.js';
import { captureLogFile } from './captureLogFile.js';

const schema = z.strictObject({
  mode: z
    .enum(['observe', 'stop', 'block', 'throttle', 'offline', 'restore'])
    .describe('stop: ends observe and stores a HAR file. block, throttle and offline last until restore or the end of the run.'),
  url: z
    .string()
    .min(1)
    .optional()
    .describe('For observe and block: only requests whose URL contains this string. * matches any text.'),
  capture: z
    .array(z.enum(['request', 'response', 'failure']))
    .min(1)
    .optional()
    .describe('For observe and stop: which requests to keep. request: those without a response. Default: all.'),
  latency_ms: z.int().min(0).max(60_000).optional().describe('For throttle: the delay before each response, in milliseconds.'),
  download_kbps: z.number().min(1).optional().describe('For throttle: the download speed in kilobits per second.'),
  upload_kbps: z.number().min(1).optional().describe('For throttle: the upload speed in kilobits per second.'),
});

export type NetworkFields = z.output<typeof schema>;

const fieldsOf: Readonly<Record<NetworkFields['mode'], readonly string[]>> = {
  observe: ['url', 'capture'],
  stop: ['capture'],
  block: ['url'],
  throttle: ['latency_ms', 'download_kbps', 'upload_kbps'],
  offline: [],
  restore: [],
};

// A slow network is part of the environment, like the size of a screen. A user can lose the network, and the app has to handle
// that. No user can choose which requests fail: blocking them could hide the response that refutes a claim.
const effects: Readonly<Record<NetworkFields['mode'], Effect>> = {
  observe: 'reads',
  stop: 'reads',
  throttle: 'none',
  offline: 'user',
  restore: 'user',
  block: 'backdoor',
};

export const network = defineAction({
  name: 'cdp.network',
  description:
    'Records the requests of the app from `observe` to `stop`, blocks or slows them down, or switches the network off.',
  schema,
  examples: [
    { description: 'Record the requests for orders.', node: { action: 'cdp.network', mode: 'observe', url: '/api/orders' } },
    {
      description: 'The app sent one order, and no request failed.',
      node: {
        ...{ action: 'cdp.network', mode: 'stop' },
        assert: {
          all: [
            { path: '$.entries[0].method', operator: 'eq', value: 'POST' },
            { path: '$.failed', operator: 'eq', value: 0 },
          ],
        },
      },
    },
    { description: 'The analytics server is down.', node: { action: 'cdp.network', mode: 'block', url: '/analytics/*' } },
    { description: 'A slow connection.', node: { action: 'cdp.network', mode: 'throttle', latency_ms: 400, download_kbps: 400 } },
    { description: 'Without a network.', node: { action: 'cdp.network', mode: 'offline' } },
    { description: 'The network is back.', node: { action: 'cdp.network', mode: 'restore' } },
  ],
  effect: ({ fields: { mode } }) => effects[mode as NetworkFields['mode']] ?? 'backdoor',
  fallible: () => false,
  needs: ['page'],
  worksOverCdpPort: true,
  describeMissing: ({ fields }) => describeMissingField(fields) ?? describeMisplacedField(fields),
  run: (fields, context) => withPageErrors(() => modes[fields.mode](fields, context), context),
});

function describeMissingField({ mode, url, ...others }: Readonly<Record<string, unknown>>): string | undefined {
  if (mode === 'block' && url === undefined) return '"url"';
  return mode === 'throttle' && Object.keys(others).length === 0 ? '"latency_ms", "download_kbps" or "upload_kbps"' : undefined;
}

function describeMisplacedField({ mode, ...others }: Readonly<Record<string, unknown>>): string | undefined {
  const known = Object.entries(fieldsOf);
  const misplaced = Object.keys(others).find((name) => !fieldsOf[mode as NetworkFields['mode']]?.includes(name));
  if (misplaced === undefined) return undefined;
  const allowedModes = known.filter(([, names]) => names.includes(misplaced)).map(([name]) => JSON.stringify(name));
  return `mode ${allowedModes.join(' or ')} for ${JSON.stringify(misplaced)}`;
}

type ModeAction = (fields: NetworkFields, context: ActionContext) => Promise<ActionResult>;

const modes: Readonly<Record<NetworkFields['mode'], ModeAction>> = {
  async observe({ url, capture }, context) {
    if (!openNetworkLog(currentRunPages(context), { url, capture, wallTime: () => context.clock.wall() }))
      throw new RecipeError(
        'cdp.observing',
        'action',
        'cdp.network already observes requests. Use mode "stop" before another "observe".',
      );
    return { output: { observing: true, url: url ?? '*' } };
  },
  stop: ({ capture }, context) => stopObserving(context, capture),
  async block({ url = '' }, context) {
    const settings = settingsOf(currentRunPages(context));
    await settings.block(createNetworkBlock(url));
    return { output: { blocking: settings.blockedUrls } };
  },
  async throttle({ latency_ms: latencyMs = 0, download_kbps: downloadKbps, upload_kbps: uploadKbps }, context) {
    await settingsOf(currentRunPages(context)).set({ throttle: { latencyMs, downloadKbps, uploadKbps } });
    return { output: { throttled: true, latencyMs, downloadKbps, uploadKbps } };
  },
  async offline(_, context) {
    await settingsOf(currentRunPages(context)).setOffline(true);
    return { output: { offline: true } };
  },
  async restore(_, context) {
    const settings = settingsOf(currentRunPages(context));
    const wasOffline = settings.offline;
    const refused = await settings.unblock();
    if (wasOffline) await settings.setOffline(false);
    const wasThrottled = (await settings.reset(['throttle'])).length > 0;
    return { output: { offline: false, wasOffline, wasThrottled, refused } };
  },
};

/** The limit for the output of the node. The HAR file has all requests. */
const maxEntries = 50;
const maxUrlLength = 500;

async function stopObserving(context: ActionContext, requested: readonly Outcome[] | undefined): Promise<ActionResult> {
  const log = closeNetworkLog(currentRunPages(context));
  if (!log)
    throw new RecipeError('cdp.not_observing', 'action', 'cdp.network does not observe requests. Use mode "observe" first.');
  const capture = requested ?? log.options.capture;
  const selected = capture ? log.exchanges.filter(({ outcome }) => capture.includes(outcome)) : log.exchanges;
  const har = await toHar(selected);
  const file = captureLogFile(context, { folder: 'network', extension: 'har', label: 'Network traffic', body: har.body });
  const output = {
    observed: selected.length,
    failed: selected.filter(({ outcome }) => outcome === 'failure').length,
    unanswered: selected.filter(({ outcome }) => outcome === 'request').length,
    statuses: countsOf(selected),
    entries: selected.slice(0, maxEntries).map(toEntry),
    dropped: log.dropped + selected.length - har.entryCount,
    path: file.path,
  };
  return { output, artifacts: [file] };
}

function toEntry({ method, url, kind, status, failure }: Exchange): object {
  const entry = { method, url: url.slice(0, maxUrlLength), kind };
  return { ...entry, ...(status === undefined ? {} : { status }), ...(failure === undefined ? {} : { failure }) };
}

function countsOf(exchanges: readonly Exchange[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of exchanges) if (status !== undefined) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
