// The suite index for people, in Markdown.
import { oneLine } from '../document/printFinding.js';
import { describeAssert } from './assertEntry.js';
import { escapeMarkdown, quoteShellWord } from './escapeText.js';
import type { Assert } from './journal.js';
import type { SummaryJson } from './models/summaryModel.js';
import type { FirstFailure } from './readPackage.js';
import type { Suite, SuiteEntry } from './suite.js';
import {
  type Coverage,
  listClaims,
  neverBeganText,
  outcomeOf,
  outcomeWords,
  stillRunningText,
  suiteTitle,
  summarizeCoverage,
} from './suite.js';
import { describeSuiteOrigin } from './suiteOrigin.js';

/** The first line, by which we know the file for ours. */
export const tableMark = '<!-- Written by recipewright and replaced by its next run. -->';

/** Where a recipe of this name failed, if its package can tell. */
export type FindFailure = (name: string) => FirstFailure | undefined;

export type SuiteTableOptions = { look?: FindFailure | undefined; coverage?: Coverage | undefined };

export function renderSuiteTable(
  suite: Suite,
  entries: readonly SuiteEntry[],
  { look, coverage }: SuiteTableOptions = {},
): string {
  const { declared, passed, failed, unknown, skipped, not_run } = suite.totals;
  const { problems = [], notes = [], selection = [] } = suite;
  const say = (text: string): string => escapeExceptOptions(text, selection.join(' '));
  const remarks = [...problems.map((problem) => `- **!** ${plainText(problem)}`), ...notes.map((note) => `- ${plainText(note)}`)];
  return [
    tableMark,
    '',
    `# Recipes: ${say(suiteTitle(suite))}`,
    '',
    ...describeSuiteOrigin(suite).flatMap((line) => [plainText(line), '']),
    ...(suite.state === 'running' ? [stillRunningText, ''] : []),
    `${declared} planned: ${passed} passed, ${failed} failed, ${unknown} unknown, ${skipped} skipped${not_run > 0 ? `, ${not_run} not run` : ''}.`,
    '',
    ...(remarks.length > 0 ? [...remarks, ''] : []),
    '| recipe | verdict | claims | reason |',
    '|---|---|---|---|',
    ...entries.map((entry) => tableRow(entry, say)),
    '',
    ...claimLines(entries, say),
    ...(look ? entries.flatMap((entry) => failureLines(entry, look)) : []),
    ...(coverage ? pathLines(coverage) : []),
  ].join('\n');
}

type RenderText = (text: string) => string;

/** Plain text in which the options of the command line can be copied: a code span mentions nobody. */
function escapeExceptOptions(text: string, options: string): string {
  return options === '' ? plainText(text) : plainText(text).replaceAll(plainText(options), () => codeSpan(options));
}

const claimStatuses = ['proven', 'refuted', 'unproven', 'blocked', 'not run'] as const;

const maxProvenClaims = 200;

function claimLines(entries: readonly SuiteEntry[], say: RenderText): string[] {
  const claims = entries.flatMap(listClaims);
  if (claims.length === 0) return [];
  const count = (kind: string): number => claims.filter(({ status }) => status === kind).length;
  const counts = claimStatuses.filter((kind) => kind !== 'not run' || count(kind) > 0).map((kind) => `${count(kind)} ${kind}`);
  // What somebody has to do something about comes first, and all of it.
  const lists = [...claimStatuses.slice(1), claimStatuses[0]].flatMap((kind) => {
    const own = claims.filter(({ status }) => status === kind);
    const shown = kind === 'proven' ? own.slice(0, maxProvenClaims) : own;
    const items = shown.map(
      ({ name, id, claim, reason }) => `- ${say(`${id} of ${name}: ${claim}${reason ? ` (${reason})` : ''}`)}`,
    );
    const left = own.length > shown.length ? [`- and ${own.length - shown.length} more, in index.html`] : [];
    return own.length > 0 ? [`### ${kind}`, '', ...items, ...left, ''] : [];
  });
  return ['## Claims', '', `${claims.length} claimed: ${counts.join(', ')}.`, '', ...lists];
}

function failureLines({ name, summary, again }: SuiteEntry, look: FindFailure): string[] {
  if (!summary || summary.status === 'pass') return [];
  const failure = look(name);
  const found = failure
    ? [
        `- node: ${codeSpan(failure.nodeId)}${failure.intent === undefined ? '' : `, ${plainText(failure.intent)}`}`,
        // Mostly the reason of the whole is what this node said.
        ...(oneLine(summary.reason).includes(oneLine(failure.error)) ? [] : [`- error: ${plainText(failure.error)}`]),
        ...failure.broken.map((made) => `- assertion: ${codeSpan(shortenText(describeFailedAssert(made)))}`),
        ...failure.artifacts.map((path) => `- evidence: ${link(`${name}/${path}`, '')}`),
      ]
    : [];
  return [
    `## ${plainText(name)}: ${summary.status}`,
    '',
    `- why: ${plainText(summary.reason)}`,
    ...found,
    `- again: ${codeSpan(again ?? defaultRerunCommand(summary))}`,
    '',
  ];
}

const maxUntakenPaths = 100;

function pathLines(coverage: Coverage): string[] {
  const lines = summarizeCoverage(coverage).flatMap(({ title, taken, all, never }) => [
    `- ${title}: ${taken} of ${all}`,
    ...never.slice(0, maxUntakenPaths).map((name) => `  - never: ${plainText(name)}`),
    ...(never.length > maxUntakenPaths ? [`  - and ${never.length - maxUntakenPaths} more, in index.html`] : []),
  ]);
  const left = coverage.notDrawn > 0 ? [`- ${coverage.notDrawn} runs are of recipes that cannot be followed here`] : [];
  return lines.length + left.length > 0 ? ['## Paths taken by the whole suite', '', ...lines, ...left, ''] : [];
}

type FailedAssert = FirstFailure['broken'][number];

// Other runners write down assertions in their own way.
function describeFailedAssert(made: FailedAssert): string {
  return isAssertEntry(made) ? describeAssert(made) : oneLine(JSON.stringify(made));
}

function isAssertEntry(made: unknown): made is FailedAssert & Assert {
  if (typeof made !== 'object' || made === null) return false;
  const { operator, path, comparisons = [] } = made as Record<string, unknown>;
  return (
    typeof operator === 'string' && typeof path === 'string' && Array.isArray(comparisons) && comparisons.every(isAssertEntry)
  );
}

/** The host takes a part of a path for the choice of a test. */
const hostCommands: Readonly<Record<string, string>> = {
  playwright: 'npx playwright test',
  vitest: 'npx vitest run',
};

/** How to run it again as far as its package tells; a host knows better. */
export function defaultRerunCommand({ host, recipe }: Pick<SummaryJson, 'host' | 'recipe'>): string {
  return `${hostCommands[host?.name ?? ''] ?? 'recipewright run --artifacts-dir evidence --recipe'} ${quoteShellWord(recipe?.id ?? '')}`;
}

// Inside of a code span nothing is special but the mark that ends it.
function codeSpan(text: string): string {
  const line = oneLine(text);
  const longestRun = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longestRun + 1);
  return longestRun > 0 ? `${mark} ${line} ${mark}` : `${mark}${line}${mark}`;
}

function tableRow(entry: SuiteEntry, say: RenderText): string {
  const { name, summary, isFlaky, detail = neverBeganText } = entry;
  const claims = listClaims(entry)
    .map(({ id, status }) => `${id} ${status}`)
    .join(', ');
  const cells = summary
    ? [link(name), isFlaky ? `${summary.status}, flaky` : summary.status, claims, summary.reason]
    : [plainText(name), outcomeWords[outcomeOf(entry) ?? 'unknown'], claims, detail];
  const [first = '', ...rest] = cells;
  // Also inside of a code span, the mark between cells ends one.
  return `| ${[first, ...rest.map((cell) => say(cell).replaceAll(/(?<!\\)\|/g, '\\|'))].join(' | ')} |`;
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
