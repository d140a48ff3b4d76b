// A file through every check that needs no host: read, told apart, compiled, held to the rules, planned.
import type { Vocabulary } from '../actions/vocabulary.js';
import { type Finding, hasErrors } from '../document/finding.js';
import type { Document, DocumentRead, ReadLimits } from '../document/readDocument.js';
import { defaultLimits, type Limits, maxRecipeNodes } from '../engine/limits.js';
import type { Next, Plan } from '../engine/plan.js';
import { PlanError, planRecipe } from '../engine/planRecipe.js';
import { flowCatalog } from '../formats/classic/catalog.js';
import { recipeV1 } from '../formats/classic/compile.js';
import { flowSpecDialect } from '../formats/flowSpec/compile.js';
import { recipeV1Modern } from '../formats/modern/compile.js';
import { runtimeDialect } from '../formats/runtime/compile.js';
import { template } from '../formats/template/compile.js';
import type { CompiledRecipe, Dialect, RecipeNode } from '../recipe/recipe.js';
import { checkRecipe } from './checkRecipe.js';
import { createResolver, type ResolveOptions } from './createResolver.js';
import { readDocumentFile } from './readDocumentFile.js';
import type { CheckOptions } from './ruleContext.js';

export type CheckFileOptions = CheckOptions &
  Omit<ResolveOptions, 'limits'> & {
    limits?: Partial<Limits & ReadLimits & { nodes: number }>;
    /** Vendors of beacons that the project knows, beside those of the registry. */
    vendors?: readonly string[];
  };

export type FileCheck = {
  dialect?: string;
  document?: Document;
  compiled?: CompiledRecipe;
  /** Made where it may complain; else whoever runs the recipe makes it. */
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

export function checkDocument({ document, text, findings: read }: DocumentRead, options: CheckFileOptions): FileCheck {
  if (!document) return { findings: read, text };
  const dialect = recipeV1.detect(document) ? recipeV1 : dialectsFor(options).find((known) => known.detect(document));
  if (!dialect) return { document, findings: [...read, unknownDocument(document)], text };
  const { compiled, findings: shape } = dialect.compile(document, createResolver(options));
  const findings = [...read, ...shape];
  const checked: FileCheck = { dialect: dialect.name, document, findings, text };
  if (!compiled) return checked;
  checked.compiled = compiled;
  const nodeLimitFinding = tooManyNodes(compiled, options.limits?.nodes ?? maxRecipeNodes);
  if (nodeLimitFinding) findings.push(nodeLimitFinding);
  else for (const finding of checkRecipe(compiled, options)) findings.push(finding);
  if (hasErrors(findings) || !canNest(compiled)) return checked;
  const planned = createPlan(compiled, options.vocabulary, options.limits);
  if ('code' in planned) findings.push(planned);
  else checked.plan = planned;
  return checked;
}

// Without flows and bodies nothing can call itself or nest too deep, which is all that a plan could complain about.
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
    hint: 'Split it, or raise the limit.',
  };
}

/** The regions to run, or the finding that there is no end to them. */
export function createPlan(compiled: CompiledRecipe, vocabulary: Vocabulary, limits: Partial<Limits> = {}): Plan | Finding {
  const { recipe } = compiled;
  const facts = {
    nextOf: (node: RecipeNode) => findNext(vocabulary, node),
    bodyOf: (node: RecipeNode) => vocabulary.get(node.action)?.planRegion?.(node, recipe.flows),
  };
  try {
    return planRecipe(recipe, facts, { ...defaultLimits, ...limits });
  } catch (thrown) {
    if (!(thrown instanceof PlanError)) throw thrown;
    const { code, pointer: path, message } = thrown;
    return { code, severity: 'error', path, place: compiled.origin(path), message };
  }
}

function findNext(vocabulary: Vocabulary, node: RecipeNode): Next {
  if (node.routes)
    return {
      kind: 'cases',
      cases: node.fallback === undefined ? node.routes : new Map([...node.routes, ['default', node.fallback]]),
    };
  const actionNext = vocabulary.get(node.action)?.planNext?.(node);
  return actionNext ?? (node.next === undefined ? { kind: 'none' } : { kind: 'to', id: node.next });
}

function unknownDocument(document: Document): Finding {
  const hint = 'A Recipe v1 document has "schema_version": 1 and "validate": { "workflow": { … } }.';
  const message = 'This is no recipe and no flow catalog: it has neither "validate", "workflow" nor "flows".';
  return { code: 'recipe.missing_validate', severity: 'error', path: '', place: document.place(''), message, hint };
}
