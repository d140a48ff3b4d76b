// From a file to something a host can run, or the findings that say why not.

import { type Finding, hasErrors } from '../document/finding.js';
import type { Document, Read } from '../document/readDocument.js';
import type { Plan } from '../engine/plan.js';
import { isRejected } from '../formats/flowSpec/failureClass.js';
import type { Compiled } from '../recipe/recipe.js';
import type { Registry } from '../registry/registry.js';
import { type CheckFileOptions, checkRead, planOf } from './checkFile.js';
import { readFile } from './readFile.js';
import { nodesOf } from './rules.js';

export type Loaded = { document: Document; compiled: Compiled; plan: Plan };

/** `rejected`: it could be run if what it refers to were supplied, and its package says so. */
export type Load = { loaded?: Loaded; rejected?: Loaded; findings: Finding[]; text: string };

export type LoadOptions = Omit<CheckFileOptions, 'vocabulary' | 'production'> & { registry: Registry };

export function loadRecipe(file: string, options: LoadOptions): Load {
  return loadDocument(readFile(file, options.limits), options);
}

/** The same for a document that was read already. */
export function loadDocument(read: Read, options: LoadOptions): Load {
  const { registry } = options;
  const checked = checkRead(read, checkOptionsOf(options));
  const { document, compiled, findings, text } = checked;
  if (compiled) addNotYet(findings, compiled, registry);
  if (document && compiled?.kind === 'catalog') return { findings: [...findings, notRunnable(document)], text };
  const isRefused = hasErrors(findings);
  if (!document || !compiled || (isRefused && !isRejected(findings))) return { findings, text };
  const planNow = (): Plan | Finding => planOf(compiled, registry, options.limits);
  const plan = checked.plan ?? (opensAny(compiled, registry) ? planNow() : undefined);
  if (plan && 'code' in plan) return { findings: [...findings, plan], text };
  const loaded: Loaded = plan ? { document, compiled, plan } : new PlannedLater(document, compiled, planNow);
  return isRefused ? { rejected: loaded, findings, text } : { loaded, findings, text };
}

const known = new WeakMap<LoadOptions, CheckFileOptions>();

// Those of one project are asked for with every document of it.
function checkOptionsOf(options: LoadOptions): CheckFileOptions {
  const before = known.get(options);
  if (before) return before;
  const { registry: vocabulary, ...rest } = options;
  const made = { ...rest, vocabulary };
  known.set(options, made);
  return made;
}

// Who only lists recipes needs no plan of them, and where nothing opens anything there is nothing in it to complain about.
// A class, since every object that is written with a getter of its own outlives the next few collections of garbage.
class PlannedLater implements Loaded {
  private made: Plan | undefined;

  constructor(
    readonly document: Document,
    readonly compiled: Compiled,
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

function opensAny({ recipe }: Compiled, registry: Registry): boolean {
  return recipe.flows.size > 0 || nodesOf(recipe).some(({ node }) => registry.get(node.action)?.opens !== undefined);
}

// What the language has and this version cannot run: refused rather than run as something else.
function addNotYet(findings: Finding[], { recipe, origin, authored }: Compiled, registry: Registry): void {
  for (const { node } of nodesOf(recipe)) {
    const asked = registry.get(node.action)?.cannot?.(node);
    if (asked === undefined) continue;
    const { pointer: path } = node;
    const message = `${node.action} cannot run here: ${asked}.`;
    findings.push({
      code: 'action.not_supported',
      severity: 'error',
      path: authored?.(path) ?? path,
      place: origin(path),
      message,
    });
  }
}

function notRunnable(document: Document): Finding {
  const message = 'This is a flow catalog: it can be checked and used, but has nothing to run by itself.';
  return { code: 'recipe.nothing_to_run', severity: 'error', path: '', place: document.place(''), message };
}
