// recipewright start: runs a recipe in a process that outlives this one.

import { exitCodes } from '../evidence/failureTable.js';
import { runVariableNames } from '../formats/template/runVariables.js';
import { startRun } from '../hosts/detached/startRun.js';
import { printRunFinding } from '../hosts/shared/refusedRun.js';
import { parseAnswers, parsePairs, textOption } from './arguments.js';
import { parseLibraries } from './declarations.js';
import { print, printJson, printToStderr } from './output.js';
import { UsageError } from './usage.js';

export type StartCommandOptions = Readonly<
  Partial<Record<'run' | 'stateDir' | 'input' | 'library' | 'setup' | 'answer' | 'projectRoot' | 'json', unknown>>
>;

export async function start(files: readonly string[], options: StartCommandOptions): Promise<number> {
  const [recipe, ...others] = files.map(String);
  if (recipe === undefined || others.length > 0) throw new UsageError(`start needs one recipe, but it got ${files.length}.`);
  const started = await startRun(recipe, {
    inputs: parseInputs(options.input),
    libraries: Object.fromEntries(parseLibraries(options.library)),
    answers: parseAnswers(options.answer),
    ...textOption('run', options.run),
    ...textOption('stateDir', options.stateDir),
    ...textOption('setup', options.setup),
    ...textOption('projectRoot', options.projectRoot),
  });
  if ('stateDir' in started) {
    if (options.json) printJson({ status: 'started', ...started });
    else print(`Started ${started.run}: ${started.stateDir}`);
    return exitCodes.pass;
  }
  if ('refused' in started) {
    printToStderr(`recipewright: ${started.refused}`);
    if (options.json) printJson({ status: 'refused', reason: started.refused });
    return exitCodes.environment;
  }
  for (const finding of started.findings) printToStderr(printRunFinding(finding, started.text));
  if (options.json) printJson({ status: 'invalid', findings: started.findings });
  return started.environment ? exitCodes.environment : exitCodes.invalid;
}

function parseInputs(rawValue: unknown): Record<string, string> {
  const inputs = parsePairs('--input name=value', rawValue);
  const reservedName = runVariableNames.find((name) => inputs.has(name));
  if (reservedName !== undefined)
    throw new UsageError(`recipewright sets the input ${reservedName} itself. Remove --input ${reservedName}=….`);
  return Object.fromEntries(inputs);
}
