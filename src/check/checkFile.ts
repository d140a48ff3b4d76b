// Runs every check of a file that needs no host: reads it, detects its dialect, compiles it, applies the rules and makes the plan.

import { type Finding, hasErrors } from '../document/finding.js';
import type { Document, DocumentRead, ReadLimits } from '../document/readDocument.js';
import { type Limits, maxRecipeNodes } from '../engine/limits.js';
import type { Plan } from '../engine/plan.js';
import { flowCatalog } from '../formats/classic/catalog.js';
import { recipeV1 } from '../formats/classic/compile.js';
import { flowSpecDialect } from '../formats/flowSpec/compile.js';
import { recipeV1Modern } from '../formats/modern/compile.js';
import { runtimeDialect } from '../formats/runtime/compile.js';
import { template } from '../formats/template/compile.js';
import type { CompiledRecipe, Dialect, RecipeNode } from '../recipe/recipe.js';
import { checkRecipe } from './checkRecipe.js';
import { createPlan } from './createPlan.js';
import { createResolver, type ResolveOptions } from './createResolver.js';
import { readDocumentFile } from './readDocumentFile.js';
import type { CheckOptions } from './ruleContext.js';

export type CheckFileOptions = CheckOptions &
  Omit<ResolveOptions, 'limits'> & {
    limits?: Partial<Limits & ReadLimits & { nodes: number }>;
    /** Vendors of beacons that the project defines, in addition to those of the registry. */
    vendors?: readonly string[];
  };

export type FileCheck = {
  dialect?: string;
  document?: Document;
  compiled?: CompiledRecipe;
  /** Set only when planning can find an error. Otherwise the caller that runs the recipe makes the plan. */
  plan?: Plan;
  findings: Finding[];
  text: string;
};

function dialectsFor({ level = 'compat', vendors }: Pick<CheckFileOptions, 'level' | 'vendors'>): readonly Dialect[] {
  return [recipeV1Modern, flowCatalog, runtimeDialect(level), flowSpecDialect(vendors), template];
}

export function checkFile(file: string, options: CheckFileOptions): FileCheck {
  return checkDocument(readDocumentFile(file, options.limits), options);
}

export function checkDocument(read: DocumentRead, options: CheckFileOptions): FileCheck {
  const { document, text, findings: readFindings } = read;
  if (!document) return { findings: readFindings, text };
  const dialect = recipeV1.detect(document) ? recipeV1 : dialectsFor(options).find((known) => known.detect(document));
  if (!dialect) return { document, findings: [...readFindings, unknownDocument(document)], text };
  const { compiled, findings: compileFindings } = dialect.compile(document, createResolver(options));
  const findings = [...readFindings, ...compileFindings];
  const result: FileCheck = { dialect: dialect.name, document, findings, text };
  if (!compiled) return result;
  result.compiled = compiled;
  const nodeLimitFinding = tooManyNodes(compiled, options.limits?.nodes ?? maxRecipeNodes);
  if (nodeLimitFinding) findings.push(nodeLimitFinding);
  else for (const finding of checkRecipe(compiled, options)) findings.push(finding);
  if (hasErrors(findings) || !canNest(compiled)) return result;
  const plan = createPlan(compiled, options.vocabulary, options.limits);
  if ('code' in plan) findings.push(plan);
  else result.plan = plan;
  return result;
}

// Whether planning can find an error. The only errors are call cycles and calls that nest too deep, and both need flows or bodies.
function canNest({ kind, recipe }: CompiledRecipe): boolean {
  if (kind === 'catalog') return false;
  const lifecycleNodes = [...recipe.setup, ...recipe.teardown, ...(recipe.startState ? [recipe.startState] : [])];
  return recipe.flows.size > 0 || lifecycleNodes.some(hasChildren) || [...recipe.nodes.values()].some(hasChildren);
}

function hasChildren({ body, retry }: RecipeNode): boolean {
  return body !== undefined || retry?.recover !== undefined;
}

function tooManyNodes({ recipe, origin }: CompiledRecipe, limit: number): Finding | undefined {
  let count = recipe.nodes.size;
  for (const flow of recipe.flows.values()) count += flow.nodes.size;
  if (count <= limit) return undefined;
  const message = `The recipe has ${count} nodes, more than the limit of ${limit}.`;
  return {
    code: 'recipe.too_many_nodes',
    severity: 'error',
    path: '',
    place: origin(''),
    message,
    hint: 'Split the recipe, or raise the limit.',
  };
}

function unknownDocument(document: Document): Finding {
  const hint = 'A Recipe v1 document has "schema_version": 1 and "validate": { "workflow": { … } }.';
  const message = 'The document is neither a recipe nor a flow catalog: it has no "validate", no "workflow" and no "flows".';
  return { code: 'recipe.missing_validate', severity: 'error', path: '', place: document.place(''), message, hint };
}
