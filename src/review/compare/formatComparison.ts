// What was found by comparing, as Markdown for a pull request or as plain lines for a terminal.
import { oneLine } from '../../document/printFinding.js';
import { escapeMarkdown } from '../../evidence/escapeText.js';
import { formatDuration } from '../../pages/formatDuration.js';
import { isBetter, isNewAndRefuted, isWorse } from './compareClaims.js';
import { hasChanged, type PackageComparison, type RunChange, type RunOutcome, sortByInterest } from './comparePackages.js';
import type { PictureChange } from './comparePictures.js';
import type { TraceChanges } from './compareTraces.js';

type TextFormat = { heading(text: string): string; item(text: string): string; text(text: string): string };

const plainFormat: TextFormat = { heading: (text) => `\n${text}`, item: (text) => `  ${text}`, text: oneLine };

const markdownFormat: TextFormat = { heading: (text) => `\n### ${text}\n`, item: (text) => `- ${text}`, text: escapeMarkdown };

export function formatComparison(comparison: PackageComparison, format: 'text' | 'markdown'): string {
  if (format === 'markdown') return markdownComment(comparison);
  return `${[headline(comparison), ...suiteLines(comparison, plainFormat), ...comparison.runs.flatMap((run) => runLines(run, plainFormat))].join('\n')}\n`;
}

/** GitHub takes 65,536 characters for a comment, and who posts it may add some of their own. */
const maxCommentLength = 60_000;

// What did not change is counted only, and what got worse is the last to be cut.
function markdownComment(comparison: PackageComparison): string {
  const changed = sortByInterest(comparison.runs).filter(hasChanged);
  const same = comparison.runs.length - changed.length;
  const all = [
    `## ${headline(comparison)}`,
    ...suiteLines(comparison, markdownFormat),
    ...(same > 0 ? [`\n${same} of ${comparison.runs.length} runs did not change.`] : []),
    ...changed.flatMap((run) => runLines(run, markdownFormat)),
  ];
  let room = maxCommentLength - 100;
  const fitting = all.findIndex((line) => {
    room -= line.length + 1;
    return room < 0;
  });
  const fittingLines =
    fitting < 0 ? all : [...all.slice(0, fitting), `\n${all.length - fitting} more lines are left out: --html has them.`];
  return `${fittingLines.join('\n')}\n`;
}

function suiteLines({ doubts = [] }: PackageComparison, { item, text }: TextFormat): string[] {
  return doubts.map(({ when, why }) => item(text(`not intact, ${when}: ${why}`)));
}

export function headline({ isWorse: worse, runs, doubts = [] }: PackageComparison): string {
  const wrong = [...new Set(doubts.map(({ when }) => when))];
  if (wrong.length > 0) return `Worse: the suite ${wrong.join(' and ')} is not what a run left`;
  const broken = runs.flatMap(({ before, after }) => [before, after]).filter((outcome) => outcome?.doubt?.isBroken).length;
  if (broken > 0) return `Worse: ${broken} of the packages ${broken === 1 ? 'is' : 'are'} not what a run left`;
  const claims = runs.flatMap((run) => run.claims);
  const fresh = claims.filter(isNewAndRefuted).length;
  const fallen = claims.filter(isWorse).length - fresh;
  const losses = [
    ...(fallen > 0 ? [`${fallen} of ${claims.length} claims fell`] : []),
    ...(fresh > 0 ? [`${fresh} of ${claims.length} claims new and refuted`] : []),
  ];
  if (losses.length > 0) return `Worse: ${losses.join(', ')}`;
  const isFallen = runs.some(({ before, after }) => before?.status === 'pass' && after?.status !== 'pass');
  if (worse) return `Worse: ${isFallen ? 'a run that passed does not pass any more' : 'a new run does not pass'}`;
  const risen = claims.filter(isBetter).length;
  if (risen > 0) return `Better: ${risen} of ${claims.length} claims rose`;
  const isSame = claims.every(({ change }) => change === 'same');
  return `No claim ${isSame ? 'changed' : 'rose or fell'} (${claims.length} compared)`;
}

function runLines({ name, before, after, claims, trace, pictures }: RunChange, { heading, item, text }: TextFormat): string[] {
  const status = `${before ? before.status : 'did not run'} → ${after ? after.status : 'did not run'}`;
  const time = before && after ? `, ${formatDuration(before.durationMs)} → ${formatDuration(after.durationMs)}` : '';
  const found = [
    ...doubtLine('before', before),
    ...doubtLine('after', after),
    ...(after && after.status !== 'pass' ? [`why: ${after.reason}`] : []),
    ...claims
      .filter(({ change }) => change !== 'same')
      .map(
        (claim) =>
          `${claim.change}: ${claim.id}, ${claim.before ?? 'not claimed'} → ${claim.after ?? 'not claimed'}: ${claim.claim}`,
      ),
    ...(trace ? traceLines(trace) : []),
    ...pictures.map(pictureLine),
  ];
  return [heading(text(`${name === '' ? 'Verdict' : name}: ${status}${time}`)), ...found.map((line) => item(text(line)))];
}

function doubtLine(when: string, outcome: RunOutcome | undefined): string[] {
  return outcome?.doubt ? [`${outcome.doubt.isBroken ? 'not intact' : 'not verified'}, ${when}: ${outcome.doubt.why}`] : [];
}

function traceLines({ onlyBefore, onlyAfter, results, outputs, times, more }: TraceChanges): string[] {
  return [
    ...results.map(({ nodeId, before, after }) => `${nodeId}: ${before} → ${after}`),
    ...(onlyBefore.length > 0 ? [`ran only before: ${onlyBefore.join(', ')}`] : []),
    ...(onlyAfter.length > 0 ? [`ran only after: ${onlyAfter.join(', ')}`] : []),
    ...outputs.map(({ nodeId, before, after }) => `${nodeId} put out ${before} → ${after}`),
    ...times.map(({ nodeId, before, after }) => `${nodeId} took ${formatDuration(before)} → ${formatDuration(after)}`),
    ...(more > 0 ? [`and ${more} more changes`] : []),
  ];
}

export function pictureLine({ path, change, pixels, of = 1, note }: PictureChange): string {
  if (change !== 'different') return `picture ${path}: ${change}`;
  return `picture ${path}: ${note ?? `${pixels} of ${of} pixels differ (${((100 * (pixels ?? 0)) / of).toFixed(2)} %)`}`;
}
