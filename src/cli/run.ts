// recipewright run --recipe F --artifacts-dir D [--input k=v …] [--library name=path …] [--setup M] [--answer node=pass|fail …]
// [--headed] [--browser NAME] [--cdp-port N] [--base-url U] [--json]

import { escapeControls } from '../document/printFinding.js';
import { exitCodes } from '../evidence/failure.js';
import type { Summary } from '../evidence/package.js';
import { failureClasses } from '../formats/flowSpec/failureClass.js';
import { runRecipe } from '../hosts/plain/runRecipe.js';
import { printRunFinding, type Rejection } from '../hosts/shared/refused.js';
import { type BrowserFlag, browserOf } from './browserFlags.js';
import { librariesOf } from './declared.js';
import { LateErrors } from './lateErrors.js';
import { printJson, tell } from './output.js';
import { pairsOf } from './pairs.js';
import { openProgress } from './progress.js';
import { UsageError } from './usage.js';

export type RunCommand = Readonly<
  Record<
    'recipe' | 'artifactsDir' | 'input' | 'library' | 'setup' | 'answer' | 'projectRoot' | 'compat' | 'json' | BrowserFlag,
    unknown
  >
>;

export async function run(options: Partial<RunCommand>): Promise<number> {
  const { recipe, artifactsDir, json = false } = options;
  if (typeof recipe !== 'string' || recipe === '') throw new UsageError('run needs --recipe <file>.');
  if (typeof artifactsDir !== 'string' || artifactsDir === '') throw new UsageError('run needs --artifacts-dir <dir>.');
  const progress = openProgress(process.stderr);
  const late = new LateErrors();
  const ended = await runRecipe(recipe, {
    ...{ artifactsDir, signals: true, progress: progress.show, terminal: process.stdin.isTTY === true && !json },
    ...{ inputTexts: pairsOf('--input name=value', options.input), libraries: Object.fromEntries(librariesOf(options.library)) },
    ...{ answers: answersOf(options.answer), ...named('setup', options.setup), ...named('projectRoot', options.projectRoot) },
    ...(options.compat === undefined ? {} : { compat: options.compat === true }),
    browser: browserOf(options),
  });
  const result = late.settle(ended);
  progress.end();
  for (const finding of result.findings) tell(printRunFinding(finding, result.text));
  if (!result.ran) {
    const { exitCode, findings, rejection, dir } = result;
    if (rejection) tell(rejectedAs(rejection, dir));
    const failure = rejection && { failure_class: rejection.failureClass, alert: failureClasses[rejection.failureClass].alert };
    const where = dir === undefined ? {} : pathsIn(dir);
    if (json) printJson({ status: exitCode === exitCodes.invalid ? 'invalid' : 'unknown', ...failure, ...where, findings });
    return exitCode;
  }
  const { summary, dir } = result;
  if (json) printJson({ status: summary.status, reason: summary.reason, ...pathsIn(dir), summary });
  else process.stdout.write(inWords(summary, dir));
  return result.exitCode;
}

function rejectedAs({ failureClass }: Rejection, dir: string | undefined): string {
  const where = dir === undefined ? '' : `\nArtifacts: ${dir}`;
  return escapeControls(`The flow did not begin: ${failureClass}. ${failureClasses[failureClass].todo}${where}`);
}

export function named<K extends string>(name: K, value: unknown): { [key in K]?: string } {
  if (value === undefined) return {};
  if (typeof value === 'string' && value !== '') return { [name]: value } as { [key in K]?: string };
  throw new UsageError(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} needs one value.`);
}

export function answersOf(given: unknown): Record<string, 'pass' | 'fail'> {
  const answers = [...pairsOf('--answer node=pass|fail', given)].map(([node, answer]) => {
    if (answer === 'pass' || answer === 'fail') return [node, answer] as const;
    throw new UsageError(`--answer ${node}=… is pass or fail, but it is ${JSON.stringify(answer)}.`);
  });
  return Object.fromEntries(answers);
}

const marks: Readonly<Record<string, string>> = { proven: '✓', refuted: '✗', unproven: '?', blocked: '!' };

function inWords({ status, reason, proof, passed, failed, total, durationMs, verdicts }: Summary, dir: string): string {
  const claims = proof.map(
    ({ id, claim, status: said, reason: why }) => `  ${marks[said] ?? '?'} ${id} ${said}: ${claim}${why ? ` (${why})` : ''}\n`,
  );
  const counts = `${total} nodes in ${(durationMs / 1000).toFixed(1)} s, ${passed} passed, ${failed} failed`;
  return escapeControls(`Recipe run: ${status} (${reason})\n${claims.join('')}${both(verdicts)}${counts}\nArtifacts: ${dir}\n`);
}

/** Where our rules and those of the format's reference differ. */
function both(verdicts: Summary['verdicts']): string {
  if (!verdicts || verdicts.honest === verdicts.compat) return '';
  return `By our rules: ${verdicts.honest}; as the reference of the format judges: ${verdicts.compat}\n`;
}

function pathsIn(dir: string): Record<string, string> {
  const names = {
    recipePath: 'recipe.json',
    summaryPath: 'summary.json',
    tracePath: 'trace.json',
    artifactManifestPath: 'artifact-manifest.json',
    reviewPath: 'review.html',
  };
  return { artifactsDir: dir, ...Object.fromEntries(Object.entries(names).map(([key, name]) => [key, `${dir}/${name}`])) };
}
