// Prints the final lines of a reporter: the verdicts, the claims, and the path of the evidence.
import { relative } from 'node:path';
import picocolors from 'picocolors';
import { escapeControls } from '../../document/printFinding.js';
import type { Summary } from '../../evidence/writePackage.js';
import { hasColors } from '../../system/hasColors.js';

/** `isForMachines`: stdout is machine-readable, so the lines go to stderr. */
export function printRunSummary(summary: RunSummary, isForMachines: boolean): void {
  const stream = isForMachines ? process.stderr : process.stdout;
  stream.write(formatRunSummary(summary, hasColors(stream)));
}

type RunSummary = {
  outputDir: string;
  written: readonly { dir: string; summary: Summary; isFlaky?: boolean }[];
  problems: readonly string[];
  /** Remarks that do not fail the run. */
  notes?: readonly string[];
};

function formatRunSummary({ outputDir, written, problems, notes = [] }: RunSummary, hasColors?: boolean): string {
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
