// recipewright graph FILE [--package DIR] [--format svg|png|mermaid] [--calls open|folded] [--out FILE]
import { dirname, resolve } from 'node:path';
import type { Vocabulary } from '../actions/vocabulary.js';
import { LaunchError } from '../browser/launch/launchError.js';
import { checkFile, createPlan } from '../check/checkFile.js';
import { hasErrors } from '../document/finding.js';
import { oneLine } from '../document/printFinding.js';
import type { Plan } from '../engine/plan.js';
import { digestOf } from '../evidence/digest.js';
import { exitCodes } from '../evidence/exitCodes.js';
import type { SummaryJson } from '../evidence/models/summaryModel.js';
import { readPackageDocument } from '../evidence/packageDocuments.js';
import { readPackage } from '../evidence/readPackage.js';
import { type BoardOptions, buildBoards, type CallDisplay } from '../pages/graph/buildBoards.js';
import { PathTaken } from '../pages/graph/pathTaken.js';
import { renderMermaid } from '../pages/graph/renderMermaid.js';
import { renderSvg } from '../pages/graph/renderSvg.js';
import { readPathKind, writeFileAtomically } from '../system/files/files.js';
import { findProjectRoot } from '../system/project.js';
import { findTrustProblem } from '../verify/packageTrust.js';
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
    throw new UsageError(`--format is ${JSON.stringify(format)}; it can be ${formats.join(', ')}.`);
  if (!callDisplays.includes(calls as CallDisplay))
    throw new UsageError(`--calls is ${JSON.stringify(calls)}; it can be ${callDisplays.join(', ')}.`);
  if (out !== undefined && (typeof out !== 'string' || out === '')) throw new UsageError('--out needs one file.');
  if (out !== undefined && readPathKind(dirname(resolve(out))) !== 'directory')
    throw new UsageError(`There is no directory ${dirname(out)} to write ${out} into.`);
  if (out !== undefined && readPathKind(out) === 'directory')
    throw new UsageError(`--out needs a file, but ${out} is a directory.`);
  if (json && out === undefined && format === 'png') throw new UsageError('A PNG is no JSON: name a file for it by --out.');
  return { format: format as Format, calls: calls as CallDisplay, out: out === undefined ? undefined : resolve(out) };
}

function parsePackageDir(dir: unknown): string | undefined {
  if (dir === undefined) return undefined;
  if (typeof dir !== 'string' || readPathKind(dir) !== 'directory')
    throw new UsageError(`--package needs the directory that a run wrote its package to, but ${String(dir)} is none.`);
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
  const taken = dir === undefined ? undefined : readPathTaken(dir, plan);
  if (format === 'mermaid') return renderMermaid(boards, taken);
  const svg = renderSvg(boards, { taken });
  if (format === 'svg') return svg;
  const { renderPng } = await import('../pages/graph/renderPng.js');
  return renderPng(svg, projectRoot ?? findProjectRoot(file));
}

// Recipes share the names of their nodes. What other runners wrote says no digest, so that only the names are left.
function refuseOtherRecipe(dir: string, digest: string): void {
  const ran = readPackageDocument<SummaryJson>(dir, 'summary.json', [])?.value.recipe;
  if (ran === undefined || ran.digest === digest) return;
  throw new UsageError(
    `The package ${dir} is of another recipe, or of this one before it was changed: it ran ${JSON.stringify(ran.id)}, ${ran.digest}, and this one is ${digest}. Name the package of a run of it, or run it again.`,
  );
}

function readPathTaken(dir: string, plan: Plan): PathTaken {
  const { trace, summary, findings } = readPackage(dir);
  if (!trace)
    throw new UsageError(
      `The package ${dir} has no trace that could be read: ${findings.find(({ place }) => place.file.endsWith('trace.json'))?.message ?? 'it is empty.'}`,
    );
  const doubt = findTrustProblem(dir, summary ?? { status: 'unknown', passed: 0, failed: 0 });
  if (doubt?.isBroken)
    throw new UsageError(`The package ${dir} is not what its run left, so that nothing of it is drawn: ${doubt.why}`);
  if (doubt) process.stderr.write(`recipewright: not verified: ${doubt.why}.\n`);
  const taken = new PathTaken(plan);
  for (const entry of trace) taken.add(entry);
  if (!taken.hasVisits)
    throw new UsageError(`No node of the package ${dir} is one of this recipe: name the package of a run of it.`);
  return taken;
}

type PictureTarget = { out: string | undefined; format: Format; json: unknown };

function writePicture(picture: string | Uint8Array, { out, format, json }: PictureTarget): number {
  if (out !== undefined) writeFileAtomically(out, picture);
  if (json) printJson(out === undefined ? { format, text: String(picture) } : { format, file: out });
  else if (out === undefined && typeof picture === 'string') print(picture);
  else if (out === undefined) process.stdout.write(picture);
  return exitCodes.pass;
}

/** No browser is no fault of the recipe. */
export async function graph(names: readonly string[], options: GraphOptions): Promise<number> {
  try {
    return await printGraph(names, options);
  } catch (thrown) {
    if (!(thrown instanceof LaunchError)) throw thrown;
    printToStderr(`recipewright: ${oneLine(thrown.message)}\n${oneLine(thrown.hint)}`);
    return exitCodes.environment;
  }
}
