// The few lines a reporter prints at the end: what was claimed, what came of it, where the evidence is.
import { relative } from 'node:path';
import pc from 'picocolors';
import { escapeControls } from '../document/printFinding.js';
import type { Summary } from '../evidence/package.js';

export type Closing = {
  outputDir: string;
  written: readonly { dir: string; summary: Summary; isFlaky?: boolean }[];
  problems: readonly string[];
};

export function closingText({ outputDir, written, problems }: Closing): string {
  const rows = written.flatMap(({ dir, summary, isFlaky }) => [
    `  ${mark(summary.status)} ${escapeControls(summary.recipe.id)}${isFlaky ? pc.yellow(' flaky') : ''}  ${pc.dim(escapeControls(relative(process.cwd(), dir)))}`,
    ...summary.proof.map(({ id, claim, status }) => escapeControls(`      ${id} ${status}: ${claim}`)),
    ...(summary.status === 'pass' ? [] : [escapeControls(`      ${summary.reason.split('\n')[0]}`)]),
  ]);
  const said = problems.map((problem) => `  ${pc.red('!')} ${escapeControls(problem)}`);
  const title = `  Recipe evidence in ${relative(process.cwd(), outputDir) || '.'}`;
  return `\n${[title, ...rows, ...said].join('\n')}\n\n`;
}

function mark(status: Summary['status']): string {
  if (status === 'pass') return pc.green('pass   ');
  return status === 'fail' ? pc.red('fail   ') : pc.yellow('unknown');
}
