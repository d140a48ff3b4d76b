// The few lines a reporter prints at the end: what was claimed, what came of it, where the evidence is.
import { relative } from 'node:path';
import pc from 'picocolors';
import { escapeControls } from '../document/printFinding.js';
import type { Summary } from '../evidence/package.js';

export type Closing = {
  outputDir: string;
  written: readonly { dir: string; summary: Summary; isFlaky?: boolean }[];
  problems: readonly string[];
  /** What is worth knowing and no problem. */
  notes?: readonly string[];
};

export function closingText({ outputDir, written, problems, notes = [] }: Closing): string {
  const rows = written.flatMap(({ dir, summary, isFlaky = false }) => [
    `  ${mark(summary.status, isFlaky)} ${escapeControls(summary.recipe.id)}  ${pc.dim(escapeControls(relative(process.cwd(), dir)))}`,
    ...summary.proof.map(({ id, claim, status }) => escapeControls(`      ${id} ${status}: ${claim}`)),
    ...(summary.status === 'pass' ? [] : [escapeControls(`      ${summary.reason.split('\n')[0]}`)]),
  ]);
  const said = [
    ...problems.map((problem) => `  ${pc.red('!')} ${escapeControls(problem)}`),
    ...notes.map((note) => `  ${pc.yellow('!')} ${escapeControls(note)}`),
  ];
  const title = `  Recipe evidence in ${relative(process.cwd(), outputDir) || '.'}`;
  return `\n${[title, ...rows, ...said].join('\n')}\n\n`;
}

function mark(status: Summary['status'], isFlaky: boolean): string {
  if (status === 'pass') return isFlaky ? pc.yellow('flaky  ') : pc.green('pass   ');
  return status === 'fail' ? pc.red('fail   ') : pc.yellow('unknown');
}
