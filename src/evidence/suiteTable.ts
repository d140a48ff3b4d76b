// The suite index for people, in Markdown.
import { oneLine } from '../document/printFinding.js';
import type { Suite, SuiteEntry } from './suiteIndex.js';

/** The first line, by which we know the file for ours. */
export const tableMark = '<!-- Written by recipewright and replaced by its next run. -->';

export function suiteTable({ totals }: Suite, entries: readonly SuiteEntry[]): string {
  const { declared, passed, failed, unknown, skipped } = totals;
  return [
    tableMark,
    '',
    `# Recipes: ${passed} of ${declared} passed`,
    '',
    `${declared} planned: ${passed} passed, ${failed} failed, ${unknown} unknown, ${skipped} skipped.`,
    '',
    '| recipe | verdict | claims | reason |',
    '|---|---|---|---|',
    ...entries.map(row),
    '',
  ].join('\n');
}

function row({ name, summary, skipped, detail = 'The run was over before it began.' }: SuiteEntry): string {
  const cells = summary
    ? [link(name), summary.status, summary.proof.map(({ id, status }) => `${id} ${status}`).join(', '), summary.reason]
    : [plain(name), skipped ? 'skipped' : 'unknown', '', detail];
  const [first = '', ...rest] = cells;
  return `| ${[first, ...rest.map(plain)].join(' | ')} |`;
}

const longest = 300;

// Nothing that a recipe says may look like a table, a link, a picture or HTML.
function plain(text: string): string {
  const line = oneLine(text);
  const short = line.length <= longest ? line : `${line.slice(0, longest)}…`;
  return short
    .replaceAll(/[\\`*_{}[\]()#+!|~@]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

function link(name: string): string {
  const path = name
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll(/[()']/g, (char) => `%${char.charCodeAt(0).toString(16)}`));
  return `[${plain(name)}](${path.join('/')}/summary.json)`;
}
