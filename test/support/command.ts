// Runs commands of the command line in the test's own process, which is much faster than starting one for each.
// Exit, streams, signals and uncaught errors belong to the process: tests of those start the real program.
import { format } from 'node:util';
import { cac } from 'cac';
import { markNumbers, unmarkArguments } from '../../src/cli/arguments.js';
import { addDocumentCommands, addEvidenceCommands, addProjectCommands } from '../../src/cli/commands.js';
import { printFailure } from '../../src/cli/usage.js';
import type { Ended, Project } from './cli.js';

export type InProcess = Project & {
  /** In a process of its own. */
  started: Project['run'];
};

/** `run` listens to signals and to uncaught errors, and help ends the process: these two still start one. */
export function inProcess(project: Project): InProcess {
  const needsProcess = (args: readonly string[]): boolean => args[0] === 'run' || args.includes('--help');
  const run: Project['run'] = (...args) => (needsProcess(args) ? project.run(...args) : command(project.dir, ...args));
  return { ...project, run, started: project.run };
}

/** One after the other: the directory and the streams are those of the process. */
export async function command(dir: string, ...args: string[]): Promise<Ended> {
  const { log, info } = console;
  const writers = [process.stdout.write, process.stderr.write] as const;
  const [before, codeBefore] = [process.cwd(), process.exitCode];
  let [stdout, stderr, exitCode] = ['', '', 0];
  const line = (...parts: unknown[]): void => {
    stdout += `${format(...parts)}\n`;
  };
  try {
    process.chdir(dir);
    process.exitCode = 0;
    Object.assign(console, { log: line, info: line });
    process.stdout.write = keeping((text) => {
      stdout += text;
    });
    process.stderr.write = keeping((text) => {
      stderr += text;
    });
    try {
      await perform(args);
      exitCode = Number(process.exitCode);
    } catch (thrown) {
      exitCode = printFailure(thrown);
    }
  } finally {
    [process.stdout.write, process.stderr.write] = writers;
    Object.assign(console, { log, info });
    process.exitCode = codeBefore;
    process.chdir(before);
  }
  return { exitCode, signal: null, stdout, stderr };
}

async function perform(args: readonly string[]): Promise<void> {
  const cli = cac('recipewright');
  addDocumentCommands(cli);
  addEvidenceCommands(cli);
  addProjectCommands(cli);
  cli.help();
  Object.assign(cli, unmarkArguments(cli.parse(markNumbers(['node', 'recipewright', ...args]), { run: false })));
  if (!cli.matchedCommand) throw new Error(`${JSON.stringify(args)} names no command that is known here.`);
  await cli.runMatchedCommand();
}

function keeping(keep: (text: string) => void): typeof process.stdout.write {
  return ((text: string | Uint8Array) => {
    keep(typeof text === 'string' ? text : Buffer.from(text).toString());
    return true;
  }) as typeof process.stdout.write;
}
