// From a file to something a host can run, or the findings that say why not.

import { type Finding, hasErrors } from '../document/finding.js';
import type { Document, DocumentRead } from '../document/readDocument.js';
import type { Plan } from '../engine/plan.js';
import { isCredentialRejection } from '../formats/flowSpec/failureClass.js';
import type { CompiledRecipe } from '../recipe/recipe.js';
import type { Registry } from '../registry/registry.js';
import { type CheckFileOptions, checkDocument, createPlan } from './checkFile.js';
import { readDocumentFile } from './readDocumentFile.js';
import { listNodesOnce } from './recipeNodes.js';

export type LoadedRecipe = { document: Document; compiled: CompiledRecipe; plan: Plan };

/** `rejected`: it could be run if what it refers to were supplied, and its package says so. */
export type LoadResult = { loaded?: LoadedRecipe; rejected?: LoadedRecipe; findings: Finding[]; text: string };

export type LoadOptions = Omit<CheckFileOptions, 'vocabulary' | 'production'> & { registry: Registry };

export function loadRecipe(file: string, options: LoadOptions): LoadResult {
  return loadDocument(readDocumentFile(file, options.limits), options);
}

/** The same for a document that was read already. */
export function loadDocument(read: DocumentRead, options: LoadOptions): LoadResult {
  const { registry } = options;
  const checked = checkDocument(read, checkOptionsOf(options));
  const { document, compiled, findings, text } = checked;
  if (compiled) addUnsupported(findings, compiled, registry);
  if (document && compiled?.kind === 'catalog') return { findings: [...findings, nothingToRun(document)], text };
  const isRefused = hasErrors(findings);
  if (!document || !compiled || (isRefused && !isCredentialRejection(findings))) return { findings, text };
  const planNow = (): Plan | Finding => createPlan(compiled, registry, options.limits);
  const plan = checked.plan ?? (opensAny(compiled, registry) ? planNow() : undefined);
  if (plan && 'code' in plan) return { findings: [...findings, plan], text };
  const loaded: LoadedRecipe = plan ? { document, compiled, plan } : new LazyPlan(document, compiled, planNow);
  return isRefused ? { rejected: loaded, findings, text } : { loaded, findings, text };
}

const checkOptionsCache = new WeakMap<LoadOptions, CheckFileOptions>();

// Those of one project are asked for with every document of it.
function checkOptionsOf(options: LoadOptions): CheckFileOptions {
  const before = checkOptionsCache.get(options);
  if (before) return before;
  const { registry: vocabulary, ...rest } = options;
  const made = { ...rest, vocabulary };
  checkOptionsCache.set(options, made);
  return made;
}

// Who only lists recipes needs no plan of them, and where nothing opens anything there is nothing in it to complain about.
// A class, since every object that is written with a getter of its own outlives the next few collections of garbage.
class LazyPlan implements LoadedRecipe {
  private made: Plan | undefined;

  constructor(
    readonly document: Document,
    readonly compiled: CompiledRecipe,
    private readonly planNow: () => Plan | Finding,
  ) {}

  get plan(): Plan {
    if (this.made) return this.made;
    const plan = this.planNow();
    if ('code' in plan) throw new Error(plan.message);
    this.made = plan;
    return plan;
  }
}

function opensAny({ recipe }: CompiledRecipe, registry: Registry): boolean {
  return recipe.flows.size > 0 || listNodesOnce(recipe).some(({ node }) => registry.get(node.action)?.planRegion !== undefined);
}

// What the language has and this version cannot run: refused rather than run as something else.
function addUnsupported(findings: Finding[], { recipe, origin, authored }: CompiledRecipe, registry: Registry): void {
  for (const { node } of listNodesOnce(recipe)) {
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
  const message = 'This is a flow catalog: it can be checked and used, but has nothing to run by itself.';
  return { code: 'recipe.nothing_to_run', severity: 'error', path: '', place: document.place(''), message };
}
