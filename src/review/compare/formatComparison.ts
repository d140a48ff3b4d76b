// Formats a comparison: as Markdown for a pull request, or as plain text for a terminal.
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

/** A comment on GitHub can have 65,536 characters. A workflow may add text of its own. */
const maxCommentLength = 60_000;

// Runs that got worse come first, so that a long comment loses them last. Unchanged runs are only counted.
function markdownComment(comparison: PackageComparison): string {
  const changed = sortByInterest(comparison.runs).filter(hasChanged);
  const unchangedCount = comparison.runs.length - changed.length;
  const lines = [
    `## ${headline(comparison)}`,
    ...suiteLines(comparison, markdownFormat),
    ...(unchangedCount > 0 ? [`\n${unchangedCount} of ${comparison.runs.length} runs did not change.`] : []),
    ...changed.flatMap((run) => runLines(run, markdownFormat)),
  ];
  let charsLeft = maxCommentLength - 100;
  const overflow = lines.findIndex((line) => {
    charsLeft -= line.length + 1;
    return charsLeft < 0;
  });
  if (overflow >= 0)
    lines.splice(overflow, lines.length, `\n${lines.length - overflow} more lines are omitted. Use --html to see all of them.`);
  return `${lines.join('\n')}\n`;
}

function suiteLines({ doubts = [] }: PackageComparison, { item, text }: TextFormat): string[] {
  return doubts.map(({ when, why }) => item(text(`not intact, ${when}: ${why}`)));
}

export function headline({ isWorse: hasWorseRun, runs, doubts = [] }: PackageComparison): string {
  const brokenSuites = [...new Set(doubts.map(({ when }) => when))];
  if (brokenSuites.length > 0) return `Worse: the suite ${brokenSuites.join(' and ')} is not intact`;
  const broken = runs.flatMap(({ before, after }) => [before, after]).filter((outcome) => outcome?.doubt?.isBroken).length;
  if (broken > 0) return `Worse: ${broken} of the packages ${broken === 1 ? 'is' : 'are'} not intact`;
  const claims = runs.flatMap((run) => run.claims);
  const newRefuted = claims.filter(isNewAndRefuted).length;
  const gotWorse = claims.filter(isWorse).length - newRefuted;
  const losses = [
    ...(gotWorse > 0 ? [`${gotWorse} of ${claims.length} claims got worse`] : []),
    ...(newRefuted > 0 ? [`${newRefuted} of ${claims.length} claims ${newRefuted === 1 ? 'is' : 'are'} new and refuted`] : []),
  ];
  if (losses.length > 0) return `Worse: ${losses.join(', ')}`;
  const stoppedPassing = runs.some(({ before, after }) => before?.status === 'pass' && after?.status !== 'pass');
  if (hasWorseRun) return `Worse: ${stoppedPassing ? 'a run that passed no longer passes' : 'a new run does not pass'}`;
  const gotBetter = claims.filter(isBetter).length;
  if (gotBetter > 0) return `Better: ${gotBetter} of ${claims.length} claims got better`;
  const isSame = claims.every(({ change }) => change === 'same');
  return `No claim ${isSame ? 'changed' : 'got better or worse'} (${claims.length} compared)`;
}

function runLines({ name, before, after, claims, trace, pictures }: RunChange, { heading, item, text }: TextFormat): string[] {
  const status = `${before ? before.status : 'did not run'} → ${after ? after.status : 'did not run'}`;
  const time = before && after ? `, ${formatDuration(before.durationMs)} → ${formatDuration(after.durationMs)}` : '';
  const lines = [
    ...trustLines('before', before),
    ...trustLines('after', after),
    ...(after && after.status !== 'pass' ? [`reason: ${after.reason}`] : []),
    ...claims
      .filter(({ change }) => change !== 'same')
      .map(
        (claim) =>
          `${claim.change}: ${claim.id}, ${claim.before ?? 'not claimed'} → ${claim.after ?? 'not claimed'}: ${claim.claim}`,
      ),
    ...(trace ? traceLines(trace) : []),
    ...pictures.map(pictureLine),
  ];
  return [heading(text(`${name === '' ? 'Verdict' : name}: ${status}${time}`)), ...lines.map((line) => item(text(line)))];
}

function trustLines(when: string, outcome: RunOutcome | undefined): string[] {
  return outcome?.doubt ? [`${outcome.doubt.isBroken ? 'not intact' : 'not verified'}, ${when}: ${outcome.doubt.why}`] : [];
}

function traceLines({ onlyBefore, onlyAfter, results, outputs, times, more }: TraceChanges): string[] {
  return [
    ...results.map(({ nodeId, before, after }) => `${nodeId}: ${before} → ${after}`),
    ...(onlyBefore.length > 0 ? [`ran only before: ${onlyBefore.join(', ')}`] : []),
    ...(onlyAfter.length > 0 ? [`ran only after: ${onlyAfter.join(', ')}`] : []),
    ...outputs.map(({ nodeId, before, after }) => `${nodeId}: output ${before} → ${after}`),
    ...times.map(({ nodeId, before, after }) => `${nodeId}: duration ${formatDuration(before)} → ${formatDuration(after)}`),
    ...(more > 0 ? [`and ${more} more changes`] : []),
  ];
}

export function pictureLine({ path, change, pixels, of = 1, note }: PictureChange): string {
  if (change !== 'different') return `picture ${path}: ${change}`;
  return `picture ${path}: ${note ?? `${pixels} of ${of} pixels differ (${((100 * (pixels ?? 0)) / of).toFixed(2)} %)`}`;
}
