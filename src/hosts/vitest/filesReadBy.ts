// What a document is made of besides its own text, and which of its nodes need a page or may do so.
import { needsOf } from '../../actions/action.js';
import { officialVocabulary, type Vocabulary } from '../../actions/vocabulary.js';
import { createResolver, type ResolveOptions } from '../../check/createResolver.js';
import { listNodesOnce } from '../../check/recipeNodes.js';
import type { Place } from '../../document/finding.js';
import type { Document } from '../../document/readDocument.js';
import { flowCatalog } from '../../formats/classic/catalog.js';
import { recipeV1 } from '../../formats/classic/compile.js';
import { recipeV1Modern } from '../../formats/modern/compile.js';
import { runtimeRecipe } from '../../formats/runtime/compile.js';
import { template } from '../../formats/template/compile.js';
import type { CompiledRecipe, RecipeNode, ResolveDocument } from '../../recipe/recipe.js';

/** `overPort`: the debugging port of an app is enough for it. */
export type NodeWithPage = { action: string; overPort: boolean; path: string; place: Place };

/** A node whose action is none of the official ones: what it needs is known to the setup module. */
export type OwnNode = { node: RecipeNode; place: Place };

/** `inputs`: the names of those the document declares. */
export type Reading = { files: string[]; needsPage: NodeWithPage[]; own: OwnNode[]; inputs: string[] };

export function filesReadBy(document: Document, options: ResolveOptions): Reading {
  const files = new Set<string>();
  const resolve = createResolver(options);
  const noted: ResolveDocument = (ref, from) => {
    const found = resolve(ref, from);
    if (found.document) files.add(found.document.file);
    return found;
  };
  const dialect = [recipeV1, recipeV1Modern, flowCatalog, runtimeRecipe, template].find(({ detect }) => detect(document));
  const { compiled } = dialect?.compile(document, noted) ?? {};
  const nodes = compiled ? placedNodes(compiled) : [];
  return {
    files: [...files],
    needsPage: nodesWithPage(nodes, officialVocabulary),
    own: nodes.filter(({ node }) => !officialVocabulary.has(node.action)),
    inputs: [...(compiled?.recipe.inputs.keys() ?? [])],
  };
}

function placedNodes({ recipe, origin }: CompiledRecipe): OwnNode[] {
  return listNodesOnce(recipe).map(({ node }) => ({ node, place: origin(node.pointer) }));
}

const ofBrowsers = ['page', 'context', 'browser'];

export function nodesWithPage(nodes: readonly OwnNode[], vocabulary: Vocabulary): NodeWithPage[] {
  return nodes.flatMap(({ node, place }) => {
    const action = vocabulary.get(node.action);
    if (!action || !needsOf(action, node).some((need) => ofBrowsers.includes(need))) return [];
    return [{ action: node.action, overPort: action.worksOverCdpPort === true, path: node.pointer, place }];
  });
}
