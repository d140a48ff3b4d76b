// Prints the closing lines of a reporter: the verdicts, the claims, and where the evidence is.
import { relative } from 'node:path';
import picocolors from 'picocolors';
import { escapeControls } from '../../document/printFinding.js';
import type { Summary } from '../../evidence/writePackage.js';
import { hasColors } from '../../system/hasColors.js';

/** `isForMachines`: a machine parses stdout, so the lines go to stderr. */
export function printRunSummary(closing: Closing, isForMachines: boolean): void {
  const stream = isForMachines ? process.stderr : process.stdout;
  stream.write(formatClosing(closing, hasColors(stream)));
}

type Closing = {
  outputDir: string;
  written: readonly { dir: string; summary: Summary; isFlaky?: boolean }[];
  problems: readonly string[];
  /** Remarks that are no problems. */
  notes?: readonly string[];
};

function formatClosing({ outputDir, written, problems, notes = [] }: Closing, hasColors?: boolean): string {
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
