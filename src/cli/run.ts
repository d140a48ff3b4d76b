// recipewright run: runs a recipe in this process and writes its evidence package.

import { resolve } from 'node:path';
import type { BrowserOptions } from '../browser/launch/launchBrowser.js';
import { didYouMean } from '../document/didYouMean.js';
import { escapeControls, oneLine } from '../document/printFinding.js';
import { exitCodes } from '../evidence/failureTable.js';
import { toRecipeError } from '../evidence/recipeError.js';
import type { Summary } from '../evidence/writePackage.js';
import { failureClasses } from '../formats/flowSpec/failureClass.js';
import { type RunResult, runRecipe } from '../hosts/plain/runRecipe.js';
import { printRunFinding, type Rejection } from '../hosts/shared/refusedRun.js';
import { isFile } from '../system/files/files.js';
import { onUncaughtErrors } from '../system/processes/processEvents.js';
import { addHostFailure } from '../verify/amendPackage.js';
import { parseAnswers, parsePairs, textOption } from './arguments.js';
import { parseLibraries } from './declarations.js';
import { overrideExitCode } from './exitCode.js';
import { printJson, printToStderr } from './output.js';
import { UsageError } from './usage.js';

export type RunCommandOptions = Readonly<
  Record<
    'recipe' | 'artifactsDir' | 'input' | 'library' | 'setup' | 'answer' | 'projectRoot' | 'compat' | 'json' | BrowserFlag,
    unknown
  >
>;

export async function run(options: Partial<RunCommandOptions>): Promise<number> {
  const { recipe, artifactsDir, json = false } = options;
  if (typeof recipe !== 'string' || recipe === '') throw new UsageError('run needs --recipe <file>.');
  if (typeof artifactsDir !== 'string' || artifactsDir === '') throw new UsageError('run needs --artifacts-dir <dir>.');
  const progress = createProgress(process.stderr);
  const lateErrors = new LateErrors();
  const runResult = await runRecipe(recipe, {
    artifactsDir,
    signals: true,
    progress: progress.show,
    terminal: process.stdin.isTTY === true && !json,
    inputTexts: parsePairs('--input name=value', options.input),
    libraries: Object.fromEntries(parseLibraries(options.library)),
    answers: parseAnswers(options.answer),
    ...textOption('setup', options.setup),
    ...textOption('projectRoot', options.projectRoot),
    ...(options.compat === undefined ? {} : { compat: options.compat === true }),
    browser: parseBrowserOptions(options),
  });
  const result = lateErrors.setResult(runResult);
  progress.end();
  for (const finding of result.findings) printToStderr(printRunFinding(finding, result.text));
  if (!result.ran) {
    const { exitCode, findings, rejection, dir } = result;
    if (rejection) printToStderr(describeRejection(rejection, dir));
    const failure = rejection && { failure_class: rejection.failureClass, alert: failureClasses[rejection.failureClass].alert };
    const paths = dir === undefined ? {} : listPackagePaths(dir);
    if (json) printJson({ status: exitCode === exitCodes.invalid ? 'invalid' : 'unknown', ...failure, ...paths, findings });
    return exitCode;
  }
  const { summary, dir } = result;
  if (json) printJson({ status: summary.status, reason: summary.reason, ...listPackagePaths(dir), summary });
  else process.stdout.write(runToText(summary, dir));
  return result.exitCode;
}

function describeRejection({ failureClass }: Rejection, dir: string | undefined): string {
  const artifacts = dir === undefined ? '' : `\nArtifacts: ${dir}`;
  return escapeControls(`The flow did not start: ${failureClass}. ${failureClasses[failureClass].todo}${artifacts}`);
}

const claimMarks: Readonly<Record<string, string>> = { proven: '✓', refuted: '✗', unproven: '?', blocked: '!' };

function runToText({ status, reason, proof, passed, failed, total, durationMs, verdicts }: Summary, dir: string): string {
  const claims = proof.map(
    ({ id, claim, status: claimStatus, reason: claimReason }) =>
      `  ${claimMarks[claimStatus] ?? '?'} ${id} ${claimStatus}: ${claim}${claimReason ? ` (${claimReason})` : ''}\n`,
  );
  const counts = `${total} nodes in ${(durationMs / 1000).toFixed(1)} s, ${passed} passed, ${failed} failed`;
  return escapeControls(
    `Recipe run: ${status} (${reason})\n${claims.join('')}${describeVerdicts(verdicts)}${counts}\nArtifacts: ${dir}\n`,
  );
}

/** Returns a line if the verdict of recipewright differs from that of the format's reference implementation. */
function describeVerdicts(verdicts: Summary['verdicts']): string {
  if (!verdicts || verdicts.honest === verdicts.compat) return '';
  return `Verdict by the rules of recipewright: ${verdicts.honest}; by the reference of the format: ${verdicts.compat}\n`;
}

function listPackagePaths(dir: string): Record<string, string> {
  const names = {
    recipePath: 'recipe.json',
    summaryPath: 'summary.json',
    tracePath: 'trace.json',
    artifactManifestPath: 'artifact-manifest.json',
    reviewPath: 'review.html',
  };
  return { artifactsDir: dir, ...Object.fromEntries(Object.entries(names).map(([key, name]) => [key, `${dir}/${name}`])) };
}

type BrowserFlag = 'headed' | 'browser' | 'cdpPort' | 'baseUrl';

function parseBrowserOptions(flags: Readonly<Partial<Record<BrowserFlag, unknown>>>): BrowserOptions {
  const options: BrowserOptions = {};
  if (flags.headed !== undefined) options.headed = flags.headed === true;
  if (flags.browser !== undefined) options.name = parseBrowserName(flags.browser);
  if (flags.cdpPort !== undefined) options.cdpPort = parsePort(flags.cdpPort);
  if (flags.baseUrl !== undefined) options.baseURL = parseBaseUrl(flags.baseUrl);
  if (options.cdpPort !== undefined && options.name !== undefined)
    throw new UsageError('--browser starts a browser, and --cdp-port attaches to a running one. Pass only one of them.');
  return options;
}

const browserNames = ['chromium', 'firefox', 'webkit'];

function parseBrowserName(rawValue: unknown): string {
  if (typeof rawValue !== 'string' || rawValue === '') throw new UsageError('--browser needs one name or path.');
  if (browserNames.includes(rawValue)) return rawValue;
  const file = resolve(rawValue);
  if (isFile(file)) return file;
  throw new UsageError(`--browser ${rawValue} is neither a known browser nor a file. ${didYouMean(rawValue, browserNames)}`);
}

function parsePort(rawValue: unknown): number {
  const port = typeof rawValue === 'string' && /^\d+$/.test(rawValue) ? Number(rawValue) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  throw new UsageError(`--cdp-port needs one port, a number from 1 to 65535, but it is ${JSON.stringify(rawValue)}.`);
}

function parseBaseUrl(rawValue: unknown): string {
  if (typeof rawValue === 'string' && /^https?:\/\//.test(rawValue) && URL.canParse(rawValue)) return rawValue;
  throw new UsageError(`--base-url needs one URL with http or https, but it is ${JSON.stringify(rawValue)}.`);
}

type Terminal = { isTTY?: boolean; columns?: number; write(text: string): unknown };

/** Shows the progress of a run: in a terminal, one line that it overwrites, and elsewhere, one line per node. */
function createProgress(stream: Terminal): { show(line: string): void; end(): void } {
  if (stream.isTTY !== true || process.env.CI)
    return { show: (line) => void stream.write(`${oneLine(line)}\n`), end: () => undefined };
  let isShown = false;
  return {
    show(line) {
      const text = oneLine(line);
      const width = Math.max(20, stream.columns ?? 80) - 1;
      stream.write(`\r\u001b[2K${text.length > width ? `${text.slice(0, width - 1)}…` : text}`);
      isShown = true;
    },
    end() {
      if (isShown) stream.write('\r\u001b[2K');
    },
  };
}

const lateErrorReason = 'an unhandled error occurred after the run had ended. Await every promise that an action starts';

/**
 * Catches unhandled errors of actions after the run has ended. Then neither the package nor the exit code may report a pass.
 * During the run, the run itself handles such errors.
 */
class LateErrors {
  private readonly errors: unknown[] = [];
  private result: RunResult | undefined;

  constructor() {
    onUncaughtErrors((thrown) => {
      this.errors.push(thrown);
      if (this.result) this.revokePass(this.result);
    });
  }

  /** Sets the result of the ended run. Returns the result, without a pass if an error has already occurred. */
  setResult(result: RunResult): RunResult {
    this.result = result;
    return this.errors.length > 0 ? this.revokePass(result) : result;
  }

  private revokePass(result: RunResult): RunResult {
    const { message } = toRecipeError(this.errors[0]);
    if (!result.ran || result.exitCode !== exitCodes.pass) return result;
    printToStderr(escapeControls(`recipewright: ${lateErrorReason}. ${message}`));
    overrideExitCode(exitCodes.harness);
    this.result = { ...result, exitCode: exitCodes.harness };
    try {
      const summary = addHostFailure(result.dir, lateErrorReason);
      this.result = { ...this.result, summary, verdict: summary.status };
    } catch (thrown) {
      // ENOSPC, EROFS or ENOENT, for example: the exit code still reports the failure.
      printToStderr(
        escapeControls(`recipewright: the package in ${result.dir} could not be updated: ${toRecipeError(thrown).message}`),
      );
    }
    return this.result;
  }
}
