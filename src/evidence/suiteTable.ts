// Renders the index of a suite for people, as Markdown.

import { oneLine } from '../document/printFinding.js';
import { describeAssert } from './assertEntry.js';
import { escapeMarkdown, quoteShellWord } from './escapeText.js';
import type { Assert } from './models/journalLine.js';
import type { SummaryJson } from './models/summaryModel.js';
import type { FirstFailure } from './readPackage.js';
import {
  type Coverage,
  listClaims,
  neverBeganText,
  outcomeOf,
  outcomeWords,
  type Suite,
  type SuiteEntry,
  stillRunningText,
  suiteTitle,
  summarizeCoverage,
} from './suite.js';
import { describeSuiteOrigin } from './suiteOrigin.js';

/** The first line of index.md, so that recipewright only ever replaces its own file. */
export const generatedFileMarker = '<!-- Written by recipewright and replaced by its next run. -->';

/** Finds the first failure in the package of a recipe. */
export type FindFailure = (name: string) => FirstFailure | undefined;

export type SuiteTableOptions = { findFailure?: FindFailure | undefined; coverage?: Coverage | undefined };

export function renderSuiteTable(
  suite: Suite,
  entries: readonly SuiteEntry[],
  { findFailure, coverage }: SuiteTableOptions = {},
): string {
  const { declared, passed, failed, unknown, skipped, not_run } = suite.totals;
  const { problems = [], notes = [], selection = [] } = suite;
  const escapeText = (text: string): string => escapeExceptOptions(text, selection.join(' '));
  const remarks = [...problems.map((problem) => `- **!** ${plainText(problem)}`), ...notes.map((note) => `- ${plainText(note)}`)];
  return [
    generatedFileMarker,
    '',
    `# Recipes: ${escapeText(suiteTitle(suite))}`,
    '',
    ...describeSuiteOrigin(suite).flatMap((line) => [plainText(line), '']),
    ...(suite.state === 'running' ? [stillRunningText, ''] : []),
    `${declared} planned: ${passed} passed, ${failed} failed, ${unknown} unknown, ${skipped} skipped${not_run > 0 ? `, ${not_run} not run` : ''}.`,
    '',
    ...(remarks.length > 0 ? [...remarks, ''] : []),
    '| recipe | verdict | claims | reason |',
    '|---|---|---|---|',
    ...entries.map((entry) => tableRow(entry, escapeText)),
    '',
    ...claimLines(entries, escapeText),
    ...(findFailure ? entries.flatMap((entry) => failureLines(entry, findFailure)) : []),
    ...(coverage ? pathLines(coverage) : []),
  ].join('\n');
}

type EscapeText = (text: string) => string;

/** Escapes a string, but keeps the options of the command line in a code span, from which a reader can copy them. */
function escapeExceptOptions(text: string, options: string): string {
  return options === '' ? plainText(text) : plainText(text).replaceAll(plainText(options), () => codeSpan(options));
}

const claimStatuses = ['proven', 'refuted', 'unproven', 'blocked', 'not run'] as const;

const maxProvenClaims = 200;

function claimLines(entries: readonly SuiteEntry[], escapeText: EscapeText): string[] {
  const claims = entries.flatMap(listClaims);
  if (claims.length === 0) return [];
  const count = (kind: string): number => claims.filter(({ status }) => status === kind).length;
  const counts = claimStatuses.filter((kind) => kind !== 'not run' || count(kind) > 0).map((kind) => `${count(kind)} ${kind}`);
  // Claims that are not proven come first, and are all listed.
  const lists = [...claimStatuses.slice(1), claimStatuses[0]].flatMap((kind) => {
    const matching = claims.filter(({ status }) => status === kind);
    if (matching.length === 0) return [];
    const listed = kind === 'proven' ? matching.slice(0, maxProvenClaims) : matching;
    const lines = listed.map(({ name, id, claim, reason }) => {
      return `- ${escapeText(`${id} of ${name}: ${claim}${reason ? ` (${reason})` : ''}`)}`;
    });
    if (matching.length > listed.length) lines.push(`- and ${matching.length - listed.length} more, in index.html`);
    return [`### ${kind}`, '', ...lines, ''];
  });
  return ['## Claims', '', `${claims.length} claimed: ${counts.join(', ')}.`, '', ...lists];
}

function failureLines({ name, summary, again }: SuiteEntry, findFailure: FindFailure): string[] {
  if (!summary || summary.status === 'pass') return [];
  const failure = findFailure(name);
  const failureDetails = failure
    ? [
        `- node: ${codeSpan(failure.nodeId)}${failure.intent === undefined ? '' : `, ${plainText(failure.intent)}`}`,
        // The reason of the run often contains the error of this node already.
        ...(oneLine(summary.reason).includes(oneLine(failure.error)) ? [] : [`- error: ${plainText(failure.error)}`]),
        ...failure.failedAsserts.map((assert) => `- assertion: ${codeSpan(shortenText(describeFailedAssert(assert)))}`),
        ...failure.artifacts.map((path) => `- evidence: ${link(`${name}/${path}`, '')}`),
      ]
    : [];
  return [
    `## ${plainText(name)}: ${summary.status}`,
    '',
    `- reason: ${plainText(summary.reason)}`,
    ...failureDetails,
    `- run again: ${codeSpan(again ?? defaultRerunCommand(summary))}`,
    '',
  ];
}

const maxUntakenPaths = 100;

function pathLines(coverage: Coverage): string[] {
  const lines = summarizeCoverage(coverage).flatMap(({ title, taken, all, never }) => [
    `- ${title}: ${taken} of ${all}`,
    ...never.slice(0, maxUntakenPaths).map((name) => `  - never taken: ${plainText(name)}`),
    ...(never.length > maxUntakenPaths ? [`  - and ${never.length - maxUntakenPaths} more, in index.html`] : []),
  ]);
  if (coverage.notDrawn > 0) lines.push(`- runs without a known path: ${coverage.notDrawn}`);
  return lines.length > 0 ? ['## Paths taken by the whole suite', '', ...lines, ''] : [];
}

type FailedAssert = FirstFailure['failedAsserts'][number];

// Packages of other runners have assertions of another shape.
function describeFailedAssert(assert: FailedAssert): string {
  return isAssertEntry(assert) ? describeAssert(assert) : oneLine(JSON.stringify(assert));
}

function isAssertEntry(value: unknown): value is FailedAssert & Assert {
  if (typeof value !== 'object' || value === null) return false;
  const { operator, path, comparisons = [] } = value as Record<string, unknown>;
  return (
    typeof operator === 'string' && typeof path === 'string' && Array.isArray(comparisons) && comparisons.every(isAssertEntry)
  );
}

/** The command of each host that runs the tests whose path contains a string. */
const hostCommands: Readonly<Record<string, string>> = {
  playwright: 'npx playwright test',
  vitest: 'npx vitest run',
};

/** Returns the command that runs a recipe again. It follows from the package alone; the host of a run can give a more exact command. */
export function defaultRerunCommand({ host, recipe }: Pick<SummaryJson, 'host' | 'recipe'>): string {
  const command = hostCommands[host?.name ?? ''] ?? 'recipewright run --artifacts-dir evidence --recipe';
  return `${command} ${quoteShellWord(recipe?.id ?? '')}`;
}

// In a code span, only backticks have a meaning: a run of as many backticks as began the span ends it.
function codeSpan(text: string): string {
  const line = oneLine(text);
  const longestRun = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longestRun + 1);
  return longestRun > 0 ? `${mark} ${line} ${mark}` : `${mark}${line}${mark}`;
}

function tableRow(entry: SuiteEntry, escapeText: EscapeText): string {
  const { name, summary, isFlaky, detail = neverBeganText } = entry;
  const claims = listClaims(entry)
    .map(({ id, status }) => `${id} ${status}`)
    .join(', ');
  const cells = summary
    ? [link(name), isFlaky ? `${summary.status}, flaky` : summary.status, claims, summary.reason]
    : [plainText(name), outcomeWords[outcomeOf(entry) ?? 'unknown'], claims, detail];
  const [first = '', ...rest] = cells;
  // A vertical bar ends a cell even in a code span.
  return `| ${[first, ...rest.map((cell) => escapeText(cell).replaceAll(/(?<!\\)\|/g, '\\|'))].join(' | ')} |`;
}

const maxTextLength = 300;

function shortenText(line: string): string {
  return line.length <= maxTextLength ? line : `${line.slice(0, maxTextLength)}…`;
}

function plainText(text: string): string {
  return escapeMarkdown(shortenText(oneLine(text)));
}

function link(name: string, rest = '/summary.json'): string {
  const path = name
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll(/[()']/g, (char) => `%${char.charCodeAt(0).toString(16)}`));
  return `[${plainText(name)}](${path.join('/')}${rest})`;
}
