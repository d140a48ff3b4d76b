// What a document is made of besides its own text, and which of its nodes need a page or may do so.
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
import { fixes } from '../../run/doctor/check.js';
import { loadSetup } from '../../run/project/projectConfig.js';

/** `overPort`: the debugging port of an app is enough for it. */
export type PageNode = { action: string; overPort: boolean; path: string; place: Place };

/** A node whose action is none of the official ones: what it needs is known to the setup module. */
export type OwnActionNode = { node: RecipeNode; place: Place };

/** `inputs`: the names of those the document declares. */
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

export function findPageNodes(nodes: readonly OwnActionNode[], vocabulary: Vocabulary): PageNode[] {
  return nodes.flatMap(({ node, place }) => {
    const action = vocabulary.get(node.action);
    if (!action || !needsOf(action, node).some((need) => browserFixtures.includes(need))) return [];
    return [{ action: node.action, overPort: action.worksOverCdpPort === true, path: node.pointer, place }];
  });
}

// Recipes that need a page in a project without Playwright: said when they are collected, before anything runs.

/** `hasPort`: an app that runs already is named, or may be by an input. */
export type CollectedDocument = { projectRoot: string; text: string; hasPort: boolean };

/** The test itself fails of the same; a list would not tell. */
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

/** The same for the project's own actions. Their module is loaded only where it can matter: a list need not know it. */
export async function warnAboutOwnActionNodes(
  nodes: readonly OwnActionNode[],
  setup: string,
  collected: CollectedDocument,
): Promise<void> {
  if (nodes.length === 0 || hasPlaywright(collected.projectRoot)) return;
  // One that cannot be loaded fails every test, which says why.
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
