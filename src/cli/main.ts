// The entry point of the command line. The result of a command goes to stdout, everything else to stderr.
import { cac } from 'cac';
import { exitCodes } from '../evidence/failureTable.js';
import { toolInfo } from '../evidence/runIdentity.js';
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
cli.version(toolInfo.version);
handleStreamErrors();
preventEarlyExit();

void main();

async function main(): Promise<void> {
  try {
    Object.assign(cli, unmarkArguments(cli.parse(markNumbers(process.argv), { run: false })));
    if (!cli.matchedCommand && !cli.options.help && !cli.options.version) {
      const name = cli.args[0];
      throw new UsageError(name === undefined ? 'No command given.' : `There is no command ${JSON.stringify(name)}.`);
    }
    if (cli.options.json) redirectConsoleToStderr();
    await cli.runMatchedCommand();
  } catch (thrown) {
    process.exitCode = printFailure(thrown);
  }
  setCommandExitCode(Number(process.exitCode ?? exitCodes.pass));
  if (finalExitCode() === exitCodes.environment && cli.matchedCommand?.name === 'run') await printDoctorFixes(cli.options);
  decideFinalExitCode(finalExitCode);
  // Exits as soon as both streams are flushed, because a timer or socket that the project's code left open must not keep
  // the process alive. After a write error, the error handler of the stream ends the process.
  process.stdout.write('', (writeError) => {
    if (!writeError) process.stderr.write('', exitWithFinalCode);
  });
}

/** Prints an error of the doctor, but keeps the exit code of the run. */
async function printDoctorFixes(options: Partial<RunCommandOptions>): Promise<void> {
  const doctor = await import('./doctor.js');
  await doctor.printFixes(options).catch(printFailure);
}
