// Where the closing lines of a reporter go: a machine that reads stdout gets its report there and nothing else.

import { relative } from 'node:path';
import picocolors from 'picocolors';
import { escapeControls } from '../../document/printFinding.js';
import type { Summary } from '../../evidence/writePackage.js';
import { hasColors } from '../../system/hasColors.js';

/** `isForMachines`: another reporter writes what a machine parses to stdout, or nobody writes there for people. */
export function printClosing(closing: Closing, isForMachines: boolean): void {
  const stream = isForMachines ? process.stderr : process.stdout;
  stream.write(formatClosing(closing, hasColors(stream)));
}

// The few lines a reporter prints at the end: what was claimed, what came of it, where the evidence is.

export type Closing = {
  outputDir: string;
  written: readonly { dir: string; summary: Summary; isFlaky?: boolean }[];
  problems: readonly string[];
  /** What is worth knowing and no problem. */
  notes?: readonly string[];
};

export function formatClosing({ outputDir, written, problems, notes = [] }: Closing, hasColors?: boolean): string {
  const pc = picocolors.createColors(hasColors);
  const rows = written.flatMap(({ dir, summary, isFlaky = false }) => [
    `  ${formatStatus(pc, summary.status, isFlaky)} ${escapeControls(summary.recipe.id)}  ${pc.dim(escapeControls(relative(process.cwd(), dir)))}`,
    ...summary.proof.map(({ id, claim, status }) => escapeControls(`      ${id} ${status}: ${claim}`)),
    ...(summary.status === 'pass' ? [] : [escapeControls(`      ${summary.reason.split('\n')[0]}`)]),
  ]);
  const messages = [
    ...problems.map((problem) => `  ${pc.red('!')} ${escapeControls(problem)}`),
    ...notes.map((note) => `  ${pc.yellow('!')} ${escapeControls(note)}`),
  ];
  const title = `  Recipe evidence in ${relative(process.cwd(), outputDir) || '.'}`;
  return `\n${[title, ...rows, ...messages].join('\n')}\n\n`;
}

type Colors = ReturnType<typeof picocolors.createColors>;

function formatStatus(pc: Colors, status: Summary['status'], isFlaky: boolean): string {
  if (status === 'pass') return isFlaky ? pc.yellow('flaky  ') : pc.green('pass   ');
  return status === 'fail' ? pc.red('fail   ') : pc.yellow('unknown');
}
