// From a file to something a host can run, or the findings that say why not.
import type { Registry } from '../actions/registry.js';
import { isRejected } from '../dialects/flowSpec/failureClass.js';
import type { Compiled, RecipeNode } from '../dialects/recipe.js';
import { type Finding, hasErrors } from '../document/finding.js';
import type { Document, Read } from '../document/readDocument.js';
import type { Plan } from '../graph/plan.js';
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
export function loadDocument(read: Read, { registry, ...options }: LoadOptions): Load {
  const { document, compiled, findings: checked, text } = checkRead(read, { ...options, vocabulary: registry });
  const findings = compiled ? [...checked, ...notYet(compiled, registry)] : checked;
  if (document && compiled?.kind === 'catalog') return { findings: [...findings, notRunnable(document)], text };
  const isRefused = hasErrors(findings);
  if (!document || !compiled || (isRefused && !isRejected(findings))) return { findings, text };
  const plan = planOf(compiled, registry, options.limits);
  if ('code' in plan) return { findings: [...findings, plan], text };
  return { [isRefused ? 'rejected' : 'loaded']: { document, compiled, plan }, findings, text };
}

// What the language has and this version cannot run: refused rather than run as something else.
function notYet({ recipe, origin, authored }: Compiled, registry: Registry): Finding[] {
  const refuse = (code: string, path: string, message: string): Finding => {
    return { code, severity: 'error', path: authored?.(path) ?? path, place: origin(path), message };
  };
  const nodes = nodesOf(recipe).flatMap(({ node }) => {
    const asked = cannotRun(node, registry);
    const message = `${node.action} cannot run here: ${asked}.`;
    return asked === undefined ? [] : [refuse('action.not_supported', node.pointer, message)];
  });
  return nodes;
}

function cannotRun(node: RecipeNode, registry: Registry): string | undefined {
  return registry.get(node.action)?.cannot?.(node);
}

function notRunnable(document: Document): Finding {
  const message = 'This is a flow catalog: it can be checked and used, but has nothing to run by itself.';
  return { code: 'recipe.nothing_to_run', severity: 'error', path: '', place: document.place(''), message };
}
