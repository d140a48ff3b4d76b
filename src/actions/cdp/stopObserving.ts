// What was observed, in figures to assert on and as a HAR file to look into.
import { closeNetworkLog, type Exchange, type Outcome, toHar } from '../../browser/networkLog.js';
import { RecipeError } from '../../evidence/recipeError.js';
import type { ActionContext, ActionResult } from '../action.js';
import { currentStage } from '../app/currentStage.js';
import { logFile } from './logFile.js';

/** The file has all of them. */
const mostShown = 50;
const longestUrl = 500;

export async function stopObserving(context: ActionContext, asked: readonly Outcome[] | undefined): Promise<ActionResult> {
  const log = closeNetworkLog(currentStage(context));
  if (!log) throw new RecipeError('cdp.not_observing', 'action', 'No requests are observed. Begin with mode "observe".');
  const capture = asked ?? log.options.capture;
  const kept = capture ? log.exchanges.filter(({ outcome }) => capture.includes(outcome)) : log.exchanges;
  const har = await toHar(kept);
  const file = logFile(context, { folder: 'network', ending: 'har', label: 'Network traffic', body: har.body });
  const output = {
    observed: kept.length,
    failed: kept.filter(({ outcome }) => outcome === 'failure').length,
    unanswered: kept.filter(({ outcome }) => outcome === 'request').length,
    statuses: countsOf(kept),
    entries: kept.slice(0, mostShown).map(shown),
    dropped: log.dropped + kept.length - har.entryCount,
    path: file.path,
  };
  return { output, artifacts: [file] };
}

function shown({ method, url, kind, status, failure }: Exchange): object {
  const said = { method, url: url.slice(0, longestUrl), kind };
  return { ...said, ...(status === undefined ? {} : { status }), ...(failure === undefined ? {} : { failure }) };
}

function countsOf(exchanges: readonly Exchange[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of exchanges) if (status !== undefined) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
