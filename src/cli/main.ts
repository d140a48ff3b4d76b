// The command line. Exit codes follow the failure table; stdout holds the answer, stderr everything else.
import { cac } from 'cac';
import { exitCodes } from '../evidence/exitCodes.js';
import { tool } from '../evidence/runIdentity.js';
import { markNumbers, unmarkArguments } from './arguments.js';
import { addDocumentCommands, addEvidenceCommands, addProjectCommands, addRunCommands } from './commands.js';
import {
  decideFinalExitCode,
  exitWithFinalCode,
  finalExitCode,
  preventEarlyExit,
  redirectConsoleToStderr,
  setCommandExitCode,
} from './exitCode.js';
import { handleStreamErrors } from './output.js';
import type { RunCommandOptions } from './run.js';
import { printFailure, UsageError } from './usage.js';

const cli = cac('recipewright');
addRunCommands(cli);
addDocumentCommands(cli);
addEvidenceCommands(cli);
addProjectCommands(cli);
cli.help();
cli.version(tool.version);
handleStreamErrors();
preventEarlyExit();

void main();

async function main(): Promise<void> {
  try {
    Object.assign(cli, unmarkArguments(cli.parse(markNumbers(process.argv), { run: false })));
    if (!cli.matchedCommand && !cli.options.help && !cli.options.version) {
      const name = cli.args[0];
      throw new UsageError(name === undefined ? 'Say what to do.' : `There is no command ${JSON.stringify(name)}.`);
    }
    if (cli.options.json) redirectConsoleToStderr();
    await cli.runMatchedCommand();
  } catch (thrown) {
    process.exitCode = printFailure(thrown);
  }
  setCommandExitCode(Number(process.exitCode ?? exitCodes.pass));
  if (finalExitCode() === exitCodes.environment && cli.matchedCommand?.name === 'run') await printDoctorFixes(cli.options);
  decideFinalExitCode(finalExitCode);
  // A timer or socket that a module of the project left open keeps nobody waiting, and cannot change what was said.
  // An answer that could not be written is told, and ends us, by the stream itself.
  process.stdout.write('', (unsaid) => {
    if (!unsaid) process.stderr.write('', exitWithFinalCode);
  });
}

/** Whatever goes wrong in here, the exit code stays that of the run. */
async function printDoctorFixes(options: Partial<RunCommandOptions>): Promise<void> {
  const doctor = await import('./doctor.js');
  await doctor.printFixes(options).catch(printFailure);
}
