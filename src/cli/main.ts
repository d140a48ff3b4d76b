// The command line. Exit codes follow the failure table; stdout holds the answer, stderr everything else.
import { cac } from 'cac';
import { exitCodes } from '../evidence/failure.js';
import { tool } from '../evidence/tool.js';
import { asTexts, asWritten } from './asWritten.js';
import { addDocuments } from './commands/documents.js';
import { addEvidence } from './commands/evidence.js';
import { addProject } from './commands/project.js';
import { addRunning } from './commands/running.js';
import { exitCode, exitWithOwnCode, keepExitCode, keepLastWord } from './exitCode.js';
import { leaveQuietly } from './output.js';
import { keepStdout, refuseEarlyEnd } from './refuseEarlyEnd.js';
import type { RunCommand } from './run.js';
import { explain, UsageError } from './usage.js';

const cli = cac('recipewright');
addRunning(cli);
addDocuments(cli);
addEvidence(cli);
addProject(cli);
cli.help();
cli.version(tool.version);
leaveQuietly();
refuseEarlyEnd();

void main();

async function main(): Promise<void> {
  try {
    Object.assign(cli, asWritten(cli.parse(asTexts(process.argv), { run: false })));
    if (!cli.matchedCommand && !cli.options.help && !cli.options.version) {
      const given = cli.args[0];
      throw new UsageError(given === undefined ? 'Say what to do.' : `There is no command ${JSON.stringify(given)}.`);
    }
    if (cli.options.json) keepStdout();
    await cli.runMatchedCommand();
  } catch (thrown) {
    process.exitCode = explain(thrown);
  }
  keepExitCode(Number(process.exitCode ?? exitCodes.pass));
  if (exitCode() === exitCodes.environment && cli.matchedCommand?.name === 'run') await tellFixes(cli.options);
  keepLastWord(exitCode);
  // A timer or socket that a module of the project left open keeps nobody waiting, and cannot change what was said.
  // An answer that could not be written is told, and ends us, by the stream itself.
  process.stdout.write('', (unsaid) => {
    if (!unsaid) process.stderr.write('', exitWithOwnCode);
  });
}

/** Whatever goes wrong in here, the exit code stays that of the run. */
async function tellFixes(options: Partial<RunCommand>): Promise<void> {
  const doctor = await import('./doctor.js');
  await doctor.tellFixes(options).catch(explain);
}
