// Finds the files that a document uses, the inputs that it declares, and the nodes that need a page. Warns when those need a missing Playwright.
import { needsOf } from '../../actions/action.js';
import { officialVocabulary, type Vocabulary } from '../../actions/vocabulary.js';
import { describeMissingPlaywright, loadPlaywright, missingPlaywrightHint } from '../../browser/launch/loadPlaywright.js';
import { createResolver, type ResolveOptions } from '../../check/createResolver.js';
import { listNodes } from '../../check/recipeNodes.js';
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

/** `worksOverPort`: whether the action also works over the debugging port of an app, without Playwright. */
export type PageNode = { action: string; worksOverPort: boolean; path: string; place: Place };

/** A node with one of the project's own actions. Only the setup module knows what the action needs. */
export type OwnActionNode = { node: RecipeNode; place: Place };

/** `inputs`: the names of the declared inputs. */
export type DocumentNeeds = { files: string[]; needsPage: PageNode[]; own: OwnActionNode[]; inputs: string[] };

export function readDocumentNeeds(document: Document, options: ResolveOptions): DocumentNeeds {
  const files = new Set<string>();
  const resolve = createResolver(options);
  const resolveAndRecord: ResolveDocument = (ref, from) => {
    const result = resolve(ref, from);
    if (result.document) files.add(result.document.file);
    return result;
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
  return listNodes(recipe).map(({ node }) => ({ node, place: origin(node.pointer) }));
}

const browserFixtures = ['page', 'context', 'browser'];

function findPageNodes(nodes: readonly OwnActionNode[], vocabulary: Vocabulary): PageNode[] {
  return nodes.flatMap(({ node, place }) => {
    const action = vocabulary.get(node.action);
    if (!action || !needsOf(action, node).some((need) => browserFixtures.includes(need))) return [];
    return [{ action: node.action, worksOverPort: action.worksOverCdpPort === true, path: node.pointer, place }];
  });
}

/** `hasPort`: whether a config or an input sets, or may set, the debugging port of a running app. */
export type CollectedDocument = { projectRoot: string; text: string; hasPort: boolean };

/** Prints the warning when tests are listed, because `vitest list` does not run the test that would fail for the same reason. */
export function warnIfPlaywrightIsMissing(
  nodes: readonly PageNode[],
  { projectRoot, text, hasPort }: CollectedDocument,
): boolean {
  const nodeWithoutPort = nodes.find(({ worksOverPort }) => !worksOverPort);
  const first = nodeWithoutPort ?? (hasPort ? undefined : nodes[0]);
  if (!first || hasPlaywright(projectRoot)) return false;
  process.stderr.write(`${printFinding(missingPlaywrightFinding(first, projectRoot), text)}\n\n`);
  return true;
}

/** Loads the setup module only when Playwright is missing, so that listing tests is fast. */
export async function warnAboutOwnActionNodes(
  nodes: readonly OwnActionNode[],
  setup: string,
  collected: CollectedDocument,
): Promise<void> {
  if (nodes.length === 0 || hasPlaywright(collected.projectRoot)) return;
  // If the setup module cannot be loaded, every test fails with the reason.
  const { actions = [] } = await loadSetup(setup).catch((): Setup => ({}));
  warnIfPlaywrightIsMissing(findPageNodes(nodes, new Map(actions.map((action) => [action.name, action]))), collected);
}

const playwrightByRoot = new Map<string, boolean>();

export function hasPlaywright(projectRoot: string): boolean {
  const isInstalled = playwrightByRoot.get(projectRoot) ?? loadPlaywright(projectRoot) !== undefined;
  playwrightByRoot.set(projectRoot, isInstalled);
  return isInstalled;
}

function missingPlaywrightFinding({ action, worksOverPort, path, place }: PageNode, projectRoot: string): Finding {
  const message = describeMissingPlaywright(projectRoot, action);
  const hint = missingPlaywrightHint({ playwright: fixes['tools.playwright'] ?? '' }, worksOverPort ? undefined : action);
  return { code: 'run.no_playwright', severity: 'error', path, place, message, hint };
}
