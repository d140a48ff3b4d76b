// Runs commands of the command line in the process of the test, which is much faster than a process for each command. Tests of
// exits, streams, signals and uncaught errors start the real program, because these belong to the process.
import { format } from 'node:util';
import { cac } from 'cac';
import { markNumbers, unmarkArguments } from '../../src/cli/arguments.js';
import { addDocumentCommands, addEvidenceCommands, addProjectCommands } from '../../src/cli/commands.js';
import { printFailure } from '../../src/cli/usage.js';
import type { Ended, Project } from './cli.js';

export type InProcess = Project & {
  /** Runs a command in a separate process. */
  started: Project['run'];
};

/**
 * The command `run` listens to signals and uncaught errors, and --help ends the process. Both still run in a separate process.
 */
export function inProcess(project: Project): InProcess {
  const needsProcess = (args: readonly string[]): boolean => args[0] === 'run' || args.includes('--help');
  const run: Project['run'] = (...args) => (needsProcess(args) ? project.run(...args) : command(project.dir, ...args));
  return { ...project, run, started: project.run };
}

/** Runs one command. Commands must not run in parallel, because they change the directory and the streams of the process. */
export async function command(dir: string, ...args: string[]): Promise<Ended> {
  const { log, info } = console;
  const writers = [process.stdout.write, process.stderr.write] as const;
  const [dirBefore, codeBefore] = [process.cwd(), process.exitCode];
  let [stdout, stderr, exitCode] = ['', '', 0];
  const line = (...parts: unknown[]): void => {
    stdout += `${format(...parts)}\n`;
  };
  try {
    process.chdir(dir);
    process.exitCode = 0;
    Object.assign(console, { log: line, info: line });
    process.stdout.write = captureWrite((text) => {
      stdout += text;
    });
    process.stderr.write = captureWrite((text) => {
      stderr += text;
    });
    try {
      await runCommand(args);
      exitCode = Number(process.exitCode);
    } catch (thrown) {
      exitCode = printFailure(thrown);
    }
  } finally {
    [process.stdout.write, process.stderr.write] = writers;
    Object.assign(console, { log, info });
    process.exitCode = codeBefore;
    process.chdir(dirBefore);
  }
  return { exitCode, signal: null, stdout, stderr };
}

async function runCommand(args: readonly string[]): Promise<void> {
  const cli = cac('recipewright');
  addDocumentCommands(cli);
  addEvidenceCommands(cli);
  addProjectCommands(cli);
  cli.help();
  Object.assign(cli, unmarkArguments(cli.parse(markNumbers(['node', 'recipewright', ...args]), { run: false })));
  if (!cli.matchedCommand) throw new Error(`${JSON.stringify(args)} is not a command that can run in the process of the test.`);
  await cli.runMatchedCommand();
}

function captureWrite(onText: (text: string) => void): typeof process.stdout.write {
  return ((text: string | Uint8Array) => {
    onText(typeof text === 'string' ? text : Buffer.from(text).toString());
    return true;
  }) as typeof process.stdout.write;
}
