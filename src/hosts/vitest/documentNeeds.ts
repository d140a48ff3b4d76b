// Finds the files that a document uses, the inputs it declares, and the nodes that need a page; warns when those lack Playwright.
import { needsOf } from '../../actions/action.js';
import { officialVocabulary, type Vocabulary } from '../../actions/vocabulary.js';
import { describeMissingPlaywright, loadPlaywright, missingPlaywrightHint } from '../../browser/launch/loadPlaywright.js';
import { createResolver, type ResolveOptions } from '../../check/createResolver.js';
import { listNodesOnce } from '../../check/recipeNodes.js';
import type { Finding, Place } from '../../document/finding.js';
import { printFinding } from '../../document/printFinding.js';
import type { Document } from '../../document/readDocument.js';
import { flowCatalog } from '../../formats/classic/catalog.js';
import { recipeV1 } from '../../formats/classic/compile.js';
import { recipeV1Modern } from '../../formats/modern/compile.js';
import { runtimeRecipe } from '../../formats/runtime/compile.js';
import { template } from '../../formats/template/compile.js';
import type { CompiledRecipe, RecipeNode, ResolveDocument } from '../../recipe/recipe.js';
import type { Setup } from '../../registry/setup.js';
import { fixes } from '../../run/doctor/doctorCheck.js';
import { loadSetup } from '../../run/project/projectConfig.js';

/** `overPort`: the action also works over the debugging port of an app, without Playwright. */
export type PageNode = { action: string; overPort: boolean; path: string; place: Place };

/** A node with an action of the project: only the setup module knows what the action needs. */
export type OwnActionNode = { node: RecipeNode; place: Place };

/** `inputs`: the names of the declared inputs. */
export type DocumentNeeds = { files: string[]; needsPage: PageNode[]; own: OwnActionNode[]; inputs: string[] };

export function readDocumentNeeds(document: Document, options: ResolveOptions): DocumentNeeds {
  const files = new Set<string>();
  const resolve = createResolver(options);
  const resolveAndRecord: ResolveDocument = (ref, from) => {
    const found = resolve(ref, from);
    if (found.document) files.add(found.document.file);
    return found;
  };
  const format = [recipeV1, recipeV1Modern, flowCatalog, runtimeRecipe, template].find(({ detect }) => detect(document));
  const { compiled } = format?.compile(document, resolveAndRecord) ?? {};
  const nodes = compiled ? nodesWithPlaces(compiled) : [];
  return {
    files: [...files],
    needsPage: findPageNodes(nodes, officialVocabulary),
    own: nodes.filter(({ node }) => !officialVocabulary.has(node.action)),
    inputs: [...(compiled?.recipe.inputs.keys() ?? [])],
  };
}

function nodesWithPlaces({ recipe, origin }: CompiledRecipe): OwnActionNode[] {
  return listNodesOnce(recipe).map(({ node }) => ({ node, place: origin(node.pointer) }));
}

const browserFixtures = ['page', 'context', 'browser'];

function findPageNodes(nodes: readonly OwnActionNode[], vocabulary: Vocabulary): PageNode[] {
  return nodes.flatMap(({ node, place }) => {
    const action = vocabulary.get(node.action);
    if (!action || !needsOf(action, node).some((need) => browserFixtures.includes(need))) return [];
    return [{ action: node.action, overPort: action.worksOverCdpPort === true, path: node.pointer, place }];
  });
}

/** `hasPort`: a config or an input names the debugging port of a running app, or may do so. */
export type CollectedDocument = { projectRoot: string; text: string; hasPort: boolean };

/** The test would fail for the same reason, but `vitest list` runs no test. */
export function warnIfPlaywrightIsMissing(
  nodes: readonly PageNode[],
  { projectRoot, text, hasPort }: CollectedDocument,
): boolean {
  const nodeWithoutPort = nodes.find(({ overPort }) => !overPort);
  const first = nodeWithoutPort ?? (hasPort ? undefined : nodes[0]);
  if (!first || hasPlaywright(projectRoot)) return false;
  process.stderr.write(`${printFinding(missingPlaywrightFinding(first, projectRoot), text)}\n\n`);
  return true;
}

/** The setup module is loaded only when its answer matters, so that listing tests stays fast. */
export async function warnAboutOwnActionNodes(
  nodes: readonly OwnActionNode[],
  setup: string,
  collected: CollectedDocument,
): Promise<void> {
  if (nodes.length === 0 || hasPlaywright(collected.projectRoot)) return;
  // A setup module that cannot be loaded fails every test with the reason.
  const { actions = [] } = await loadSetup(setup).catch((): Setup => ({}));
  warnIfPlaywrightIsMissing(findPageNodes(nodes, new Map(actions.map((action) => [action.name, action]))), collected);
}

const playwrightByRoot = new Map<string, boolean>();

export function hasPlaywright(projectRoot: string): boolean {
  const found = playwrightByRoot.get(projectRoot) ?? loadPlaywright(projectRoot) !== undefined;
  playwrightByRoot.set(projectRoot, found);
  return found;
}

function missingPlaywrightFinding({ action, overPort, path, place }: PageNode, projectRoot: string): Finding {
  const message = describeMissingPlaywright(projectRoot, action);
  const hint = missingPlaywrightHint({ playwright: fixes['tools.playwright'] ?? '' }, overPort ? undefined : action);
  return { code: 'run.no_playwright', severity: 'error', path, place, message, hint };
}
