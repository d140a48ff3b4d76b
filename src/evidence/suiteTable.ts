// The suite index for people, in Markdown.
import { oneLine } from '../document/printFinding.js';
import { describeAssert } from './assert.js';
import type { FirstFailure } from './firstFailure.js';
import type { Assert } from './journal.js';
import { markdownText } from './markdownText.js';
import type { SummaryJson } from './models/summary.js';
import { shellWord } from './shellWord.js';
import { type Coverage, coverageLines } from './suiteCoverage.js';
import type { Suite, SuiteEntry } from './suiteIndex.js';
import { originLines } from './suiteOrigin.js';
import { claimsOf, neverBegan, outcomeOf, outcomeWords, stillRunning, suiteTitle } from './suiteOutcome.js';

/** The first line, by which we know the file for ours. */
export const tableMark = '<!-- Written by recipewright and replaced by its next run. -->';

/** Where a recipe of this name failed, if its package can tell. */
export type Look = (name: string) => FirstFailure | undefined;

export type Told = { look?: Look | undefined; coverage?: Coverage | undefined };

export function suiteTable(suite: Suite, entries: readonly SuiteEntry[], { look, coverage }: Told = {}): string {
  const { declared, passed, failed, unknown, skipped, not_run } = suite.totals;
  const { problems = [], notes = [], selection = [] } = suite;
  const say = (text: string): string => withOptions(text, selection.join(' '));
  const said = [...problems.map((problem) => `- **!** ${plain(problem)}`), ...notes.map((note) => `- ${plain(note)}`)];
  return [
    tableMark,
    '',
    `# Recipes: ${say(suiteTitle(suite))}`,
    '',
    ...originLines(suite).flatMap((line) => [plain(line), '']),
    ...(suite.state === 'running' ? [stillRunning, ''] : []),
    `${declared} planned: ${passed} passed, ${failed} failed, ${unknown} unknown, ${skipped} skipped${not_run > 0 ? `, ${not_run} not run` : ''}.`,
    '',
    ...(said.length > 0 ? [...said, ''] : []),
    '| recipe | verdict | claims | reason |',
    '|---|---|---|---|',
    ...entries.map((entry) => row(entry, say)),
    '',
    ...claimLines(entries, say),
    ...(look ? entries.flatMap((entry) => failureLines(entry, look)) : []),
    ...(coverage ? pathLines(coverage) : []),
  ].join('\n');
}

type Say = (text: string) => string;

/** Plain text in which the options of the command line can be copied: a code span mentions nobody. */
function withOptions(text: string, options: string): string {
  return options === '' ? plain(text) : plain(text).replaceAll(plain(options), () => code(options));
}

const kinds = ['proven', 'refuted', 'unproven', 'blocked', 'not run'] as const;

const mostProven = 200;

function claimLines(entries: readonly SuiteEntry[], say: Say): string[] {
  const claims = entries.flatMap(claimsOf);
  if (claims.length === 0) return [];
  const count = (kind: string): number => claims.filter(({ status }) => status === kind).length;
  const counts = kinds.filter((kind) => kind !== 'not run' || count(kind) > 0).map((kind) => `${count(kind)} ${kind}`);
  // What somebody has to do something about comes first, and all of it.
  const lists = [...kinds.slice(1), kinds[0]].flatMap((kind) => {
    const own = claims.filter(({ status }) => status === kind);
    const shown = kind === 'proven' ? own.slice(0, mostProven) : own;
    const items = shown.map(
      ({ name, id, claim, reason }) => `- ${say(`${id} of ${name}: ${claim}${reason ? ` (${reason})` : ''}`)}`,
    );
    const left = own.length > shown.length ? [`- and ${own.length - shown.length} more, in index.html`] : [];
    return own.length > 0 ? [`### ${kind}`, '', ...items, ...left, ''] : [];
  });
  return ['## Claims', '', `${claims.length} claimed: ${counts.join(', ')}.`, '', ...lists];
}

function failureLines({ name, summary, again }: SuiteEntry, look: Look): string[] {
  if (!summary || summary.status === 'pass') return [];
  const failure = look(name);
  const found = failure
    ? [
        `- node: ${code(failure.nodeId)}${failure.intent === undefined ? '' : `, ${plain(failure.intent)}`}`,
        // Mostly the reason of the whole is what this node said.
        ...(oneLine(summary.reason).includes(oneLine(failure.error)) ? [] : [`- error: ${plain(failure.error)}`]),
        ...failure.broken.map((made) => `- assertion: ${code(shortened(sentence(made)))}`),
        ...failure.artifacts.map((path) => `- evidence: ${link(`${name}/${path}`, '')}`),
      ]
    : [];
  return [
    `## ${plain(name)}: ${summary.status}`,
    '',
    `- why: ${plain(summary.reason)}`,
    ...found,
    `- again: ${code(again ?? againBy(summary))}`,
    '',
  ];
}

const mostPaths = 100;

function pathLines(coverage: Coverage): string[] {
  const lines = coverageLines(coverage).flatMap(({ title, taken, all, never }) => [
    `- ${title}: ${taken} of ${all}`,
    ...never.slice(0, mostPaths).map((name) => `  - never: ${plain(name)}`),
    ...(never.length > mostPaths ? [`  - and ${never.length - mostPaths} more, in index.html`] : []),
  ]);
  const left = coverage.notDrawn > 0 ? [`- ${coverage.notDrawn} runs are of recipes that cannot be followed here`] : [];
  return lines.length + left.length > 0 ? ['## Paths taken by the whole suite', '', ...lines, ...left, ''] : [];
}

type Made = FirstFailure['broken'][number];

// Other runners write down assertions in their own way.
function sentence(made: Made): string {
  return isOurs(made) ? describeAssert(made) : oneLine(JSON.stringify(made));
}

function isOurs(made: unknown): made is Made & Assert {
  if (typeof made !== 'object' || made === null) return false;
  const { operator, path, comparisons = [] } = made as Record<string, unknown>;
  return typeof operator === 'string' && typeof path === 'string' && Array.isArray(comparisons) && comparisons.every(isOurs);
}

/** The host takes a part of a path for the choice of a test. */
const commands: Readonly<Record<string, string>> = {
  playwright: 'npx playwright test',
  vitest: 'npx vitest run',
};

/** How to run it again as far as its package tells; a host knows better. */
export function againBy({ host, recipe }: Pick<SummaryJson, 'host' | 'recipe'>): string {
  return `${commands[host?.name ?? ''] ?? 'recipewright run --artifacts-dir evidence --recipe'} ${shellWord(recipe?.id ?? '')}`;
}

// Inside of a code span nothing is special but the mark that ends it.
function code(text: string): string {
  const line = oneLine(text);
  const longestRun = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longestRun + 1);
  return longestRun > 0 ? `${mark} ${line} ${mark}` : `${mark}${line}${mark}`;
}

function row(entry: SuiteEntry, say: Say): string {
  const { name, summary, isFlaky, detail = neverBegan } = entry;
  const claims = claimsOf(entry)
    .map(({ id, status }) => `${id} ${status}`)
    .join(', ');
  const cells = summary
    ? [link(name), isFlaky ? `${summary.status}, flaky` : summary.status, claims, summary.reason]
    : [plain(name), outcomeWords[outcomeOf(entry) ?? 'unknown'], claims, detail];
  const [first = '', ...rest] = cells;
  // Also inside of a code span, the mark between cells ends one.
  return `| ${[first, ...rest.map((cell) => say(cell).replaceAll(/(?<!\\)\|/g, '\\|'))].join(' | ')} |`;
}

const longest = 300;

function shortened(line: string): string {
  return line.length <= longest ? line : `${line.slice(0, longest)}…`;
}

function plain(text: string): string {
  return markdownText(shortened(oneLine(text)));
}

function link(name: string, rest = '/summary.json'): string {
  const path = name
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll(/[()']/g, (char) => `%${char.charCodeAt(0).toString(16)}`));
  return `[${plain(name)}](${path.join('/')}${rest})`;
}
