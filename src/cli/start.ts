// recipewright start F [--run ID] [--state-dir D] [--input k=v …] [--json]

import { exitCodes } from '../evidence/failure.js';
import { runNames } from '../formats/template/runNames.js';
import { startRun } from '../hosts/detached/startRun.js';
import { printRunFinding } from '../hosts/shared/refused.js';
import { librariesOf } from './declared.js';
import { print, printJson, tell } from './output.js';
import { pairsOf } from './pairs.js';
import { answersOf, named } from './run.js';
import { UsageError } from './usage.js';

export type StartCommand = Readonly<
  Partial<Record<'run' | 'stateDir' | 'input' | 'library' | 'setup' | 'answer' | 'projectRoot' | 'json', unknown>>
>;

export async function start(files: readonly string[], options: StartCommand): Promise<number> {
  const [recipe, ...others] = files.map(String);
  if (recipe === undefined || others.length > 0) throw new UsageError('start needs one recipe.');
  const started = await startRun(recipe, {
    ...{ inputs: inputsOf(options.input), libraries: Object.fromEntries(librariesOf(options.library)) },
    ...{ answers: answersOf(options.answer), ...named('run', options.run), ...named('stateDir', options.stateDir) },
    ...{ ...named('setup', options.setup), ...named('projectRoot', options.projectRoot) },
  });
  if ('stateDir' in started) {
    if (options.json) printJson({ status: 'started', ...started });
    else print(`Started ${started.run}: ${started.stateDir}`);
    return exitCodes.pass;
  }
  if ('refused' in started) {
    tell(`recipewright: ${started.refused}`);
    if (options.json) printJson({ status: 'refused', reason: started.refused });
    return exitCodes.environment;
  }
  for (const finding of started.findings) tell(printRunFinding(finding, started.text));
  if (options.json) printJson({ status: 'invalid', findings: started.findings });
  return started.environment ? exitCodes.environment : exitCodes.invalid;
}

function inputsOf(given: unknown): Record<string, string> {
  const inputs = pairsOf('--input name=value', given);
  const own = runNames.find((name) => inputs.has(name));
  if (own !== undefined) throw new UsageError(`The input ${own} is what the run is told about itself, and cannot be given.`);
  return Object.fromEntries(inputs);
}
