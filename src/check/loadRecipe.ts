// Loads a recipe file into a document, a compiled recipe and a plan that a host can run, or returns the findings.

import { type Finding, hasErrors } from '../document/finding.js';
import type { Document, DocumentRead } from '../document/readDocument.js';
import type { Plan } from '../engine/plan.js';
import { isCredentialRejection } from '../formats/flowSpec/failureClass.js';
import type { CompiledRecipe } from '../recipe/recipe.js';
import type { Registry } from '../registry/registry.js';
import { type CheckFileOptions, checkDocument } from './checkFile.js';
import { createPlan } from './createPlan.js';
import { readDocumentFile } from './readDocumentFile.js';
import { listNodes } from './recipeNodes.js';

export type LoadedRecipe = { document: Document; compiled: CompiledRecipe; plan: Plan };

/** `rejected`: a recipe that lacks the credentials it refers to. It does not run, but its package reports the rejection. */
export type LoadResult = { loaded?: LoadedRecipe; rejected?: LoadedRecipe; findings: Finding[]; text: string };

export type LoadOptions = Omit<CheckFileOptions, 'vocabulary' | 'production'> & { registry: Registry };

export function loadRecipe(file: string, options: LoadOptions): LoadResult {
  return loadDocument(readDocumentFile(file, options.limits), options);
}

/** Like `loadRecipe`, for a document that has been read. */
export function loadDocument(read: DocumentRead, options: LoadOptions): LoadResult {
  const { registry } = options;
  const check = checkDocument(read, checkOptionsOf(options));
  const { document, compiled, findings, text } = check;
  if (compiled) addUnsupported(findings, compiled, registry);
  if (document && compiled?.kind === 'catalog') return { findings: [...findings, nothingToRun(document)], text };
  const isRefused = hasErrors(findings);
  if (!document || !compiled || (isRefused && !isCredentialRejection(findings))) return { findings, text };
  const planNow = (): Plan | Finding => createPlan(compiled, registry, options.limits);
  const plan = check.plan ?? (opensRegions(compiled, registry) ? planNow() : undefined);
  if (plan && 'code' in plan) return { findings: [...findings, plan], text };
  const loaded: LoadedRecipe = plan ? { document, compiled, plan } : new LazyPlan(document, compiled, planNow);
  return isRefused ? { rejected: loaded, findings, text } : { loaded, findings, text };
}

const checkOptionsCache = new WeakMap<LoadOptions, CheckFileOptions>();

// All documents of a project share one options object.
function checkOptionsOf(options: LoadOptions): CheckFileOptions {
  const cached = checkOptionsCache.get(options);
  if (cached) return cached;
  const { registry: vocabulary, ...rest } = options;
  const checkOptions = { ...rest, vocabulary };
  checkOptionsCache.set(options, checkOptions);
  return checkOptions;
}

// A recipe whose nodes open no region has no plan errors, so its plan is made when it is first read. Listing recipes then needs no plans.
// This is a class, because object literals with a getter survive several garbage collections.
class LazyPlan implements LoadedRecipe {
  private cachedPlan: Plan | undefined;

  constructor(
    readonly document: Document,
    readonly compiled: CompiledRecipe,
    private readonly createPlan: () => Plan | Finding,
  ) {}

  get plan(): Plan {
    if (this.cachedPlan) return this.cachedPlan;
    const plan = this.createPlan();
    if ('code' in plan) throw new Error(plan.message);
    this.cachedPlan = plan;
    return plan;
  }
}

function opensRegions({ recipe }: CompiledRecipe, registry: Registry): boolean {
  return recipe.flows.size > 0 || listNodes(recipe).some(({ node }) => registry.get(node.action)?.planRegion !== undefined);
}

// Reports the parts of the language that this version cannot run.
function addUnsupported(findings: Finding[], { recipe, origin, authored }: CompiledRecipe, registry: Registry): void {
  for (const { node } of listNodes(recipe)) {
    const limitation = registry.get(node.action)?.describeUnsupported?.(node);
    if (limitation === undefined) continue;
    const { pointer: path } = node;
    const message = `${node.action} cannot run here: ${limitation}.`;
    findings.push({
      code: 'action.not_supported',
      severity: 'error',
      path: authored?.(path) ?? path,
      place: origin(path),
      message,
    });
  }
}

function nothingToRun(document: Document): Finding {
  const message = 'The document is a flow catalog, which cannot run. Recipes can call its flows.';
  return { code: 'recipe.nothing_to_run', severity: 'error', path: '', place: document.place(''), message };
}
