// recipewright graph: draws the graph of a recipe, and with --package also the path that a run took.
import { resolve } from 'node:path';
import type { Vocabulary } from '../actions/vocabulary.js';
import { LaunchError } from '../browser/launch/launchError.js';
import { checkFile } from '../check/checkFile.js';
import { createPlan } from '../check/createPlan.js';
import { hasErrors } from '../document/finding.js';
import { oneLine } from '../document/printFinding.js';
import type { Plan } from '../engine/plan.js';
import { digestOf } from '../evidence/digest.js';
import { exitCodes } from '../evidence/failureTable.js';
import type { SummaryJson } from '../evidence/models/summaryModel.js';
import { readPackage } from '../evidence/readPackage.js';
import { readPackageDocument } from '../evidence/readPackageDocuments.js';
import { type BoardOptions, buildBoards, type CallDisplay } from '../pages/graph/buildBoards.js';
import { PathTaken } from '../pages/graph/pathTaken.js';
import { renderMermaid } from '../pages/graph/renderMermaid.js';
import { renderSvg } from '../pages/graph/renderSvg.js';
import { readPathKind, writeFileAtomically } from '../system/files/files.js';
import { findProjectRoot } from '../system/project.js';
import { findTrustProblem } from '../verify/packageTrust.js';
import { parseOutputFile } from './arguments.js';
import { createCheckOptions, type DeclarationOptions, parseProjectRoot, readDeclarations } from './declarations.js';
import { codeFrames, findingsToJson } from './findingsReport.js';
import { print, printJson, printToStderr } from './output.js';
import { UsageError } from './usage.js';

export type GraphOptions = Omit<DeclarationOptions, 'actionManifest'> & {
  package?: unknown;
  format?: unknown;
  calls?: unknown;
  out?: unknown;
  json?: unknown;
};

const formats = ['svg', 'png', 'mermaid'] as const;
type Format = (typeof formats)[number];
const callDisplays: readonly CallDisplay[] = ['open', 'folded'];

export async function graph(names: readonly string[], options: GraphOptions): Promise<number> {
  try {
    return await printGraph(names, options);
  } catch (thrown) {
    if (!(thrown instanceof LaunchError)) throw thrown;
    printToStderr(`recipewright: ${oneLine(thrown.message)}\n${oneLine(thrown.hint)}`);
    return exitCodes.environment;
  }
}

/** @throws LaunchError when a PNG is requested and no browser starts */
export async function printGraph(names: readonly string[], options: GraphOptions): Promise<number> {
  const [name, ...more] = names;
  if (name === undefined || more.length > 0) throw new UsageError(`graph needs one file, but it got ${names.length}.`);
  const { format, calls, out } = parseGraphOptions(options);
  const dir = parsePackageDir(options.package);
  const file = resolve(name);
  const checkOptions = await createCheckOptions(options, readDeclarations(options))(file);
  const checked = { file, ...checkFile(file, checkOptions) };
  if (!checked.compiled || hasErrors(checked.findings)) {
    for (const frame of codeFrames(checked)) printToStderr(frame);
    if (options.json) printJson(findingsToJson([checked]));
    return exitCodes.failed;
  }
  const plan = createPlan(checked.compiled, checkOptions.vocabulary as Vocabulary, checkOptions.limits);
  if ('code' in plan) throw new UsageError(plan.message);
  const { flows, title, json } = checked.compiled.recipe;
  if (dir !== undefined) refuseOtherRecipe(dir, digestOf(json));
  const picture = await renderGraph(plan, {
    options: { vocabulary: checkOptions.vocabulary, flows, title: title ?? name, calls },
    format,
    dir,
    file,
    projectRoot: parseProjectRoot(options.projectRoot),
  });
  return writePicture(picture, { out, format, json: options.json });
}

type ParsedGraphOptions = { format: Format; calls: CallDisplay; out: string | undefined };

function parseGraphOptions({ format = 'svg', calls = 'open', out, json }: GraphOptions): ParsedGraphOptions {
  if (!formats.includes(format as Format))
    throw new UsageError(`--format must be one of ${formats.join(', ')}, but it is ${JSON.stringify(format)}.`);
  if (!callDisplays.includes(calls as CallDisplay))
    throw new UsageError(`--calls must be one of ${callDisplays.join(', ')}, but it is ${JSON.stringify(calls)}.`);
  const file = parseOutputFile('--out', out);
  if (json && file === undefined && format === 'png')
    throw new UsageError('--json cannot print a PNG. Add --out with the file to write the PNG to.');
  return { format: format as Format, calls: calls as CallDisplay, out: file };
}

function parsePackageDir(dir: unknown): string | undefined {
  if (dir === undefined) return undefined;
  if (typeof dir !== 'string' || readPathKind(dir) !== 'directory')
    throw new UsageError(`--package needs the directory of an evidence package, but ${String(dir)} is not a directory.`);
  return resolve(dir);
}

type GraphRequest = {
  options: BoardOptions;
  format: Format;
  dir: string | undefined;
  file: string;
  projectRoot: string | undefined;
};

async function renderGraph(plan: Plan, { options, format, dir, file, projectRoot }: GraphRequest): Promise<string | Uint8Array> {
  const boards = buildBoards(plan, options);
  const pathTaken = dir === undefined ? undefined : readPathTaken(dir, plan);
  if (format === 'mermaid') return renderMermaid(boards, pathTaken);
  const svg = renderSvg(boards, { taken: pathTaken });
  if (format === 'svg') return svg;
  const { renderPng } = await import('../pages/graph/renderPng.js');
  return renderPng(svg, projectRoot ?? findProjectRoot(file));
}

// Different recipes can have nodes with the same names, so the digests must match. Packages of other runners may have no digest.
function refuseOtherRecipe(dir: string, digest: string): void {
  const recipe = readPackageDocument<SummaryJson>(dir, 'summary.json', [])?.value.recipe;
  if (recipe === undefined || recipe.digest === digest) return;
  throw new UsageError(
    `The package ${dir} is of another recipe, or of an earlier version of this one: ${JSON.stringify(recipe.id)} has the digest ${recipe.digest}, but this recipe has ${digest}. Pass a package of this recipe, or run the recipe again.`,
  );
}

function readPathTaken(dir: string, plan: Plan): PathTaken {
  const { trace, summary, findings } = readPackage(dir);
  if (!trace)
    throw new UsageError(
      `The package ${dir} has no readable trace: ${findings.find(({ place }) => place.file.endsWith('trace.json'))?.message ?? 'it is empty.'}`,
    );
  const problem = findTrustProblem(dir, summary ?? { status: 'unknown', passed: 0, failed: 0 });
  if (problem?.isBroken) throw new UsageError(`The package ${dir} is not intact, so its path is not drawn: ${problem.why}`);
  if (problem) process.stderr.write(`recipewright: not verified: ${problem.why}.\n`);
  const pathTaken = new PathTaken(plan);
  for (const entry of trace) pathTaken.add(entry);
  if (!pathTaken.hasVisits)
    throw new UsageError(`The package ${dir} contains no node of this recipe. Pass a package of a run of this recipe.`);
  return pathTaken;
}

type PictureTarget = { out: string | undefined; format: Format; json: unknown };

function writePicture(picture: string | Uint8Array, { out, format, json }: PictureTarget): number {
  if (out !== undefined) writeFileAtomically(out, picture);
  if (json) printJson(out === undefined ? { format, text: String(picture) } : { format, file: out });
  else if (out === undefined && typeof picture === 'string') print(picture);
  else if (out === undefined) process.stdout.write(picture);
  return exitCodes.pass;
}
