// From a file to something a host can run, or the findings that say why not.
import type { Registry } from '../actions/registry.js';
import type { Compiled, RecipeNode } from '../dialects/recipe.js';
import { type Finding, hasErrors } from '../document/finding.js';
import { joinPointer } from '../document/pointer.js';
import type { Document } from '../document/readDocument.js';
import type { Limits, Plan } from '../graph/plan.js';
import { checkFile, planOf } from './checkFile.js';
import { isSecret } from './rules/inputs.js';
import { nodesOf } from './rules.js';

export type Loaded = { document: Document; compiled: Compiled; plan: Plan };

export type Load = { loaded?: Loaded; findings: Finding[]; text: string };

export type LoadOptions = { registry: Registry; projectRoot: string; limits?: Partial<Limits> };

export function loadRecipe(file: string, { registry, ...options }: LoadOptions): Load {
  const { document, compiled, findings: checked, text } = checkFile(file, { ...options, vocabulary: registry });
  const findings = compiled ? [...checked, ...notYet(compiled, registry)] : checked;
  if (document && compiled?.kind === 'catalog') return { findings: [...findings, notRunnable(document)], text };
  if (!document || !compiled || hasErrors(findings)) return { findings, text };
  const plan = planOf(compiled, registry, options.limits);
  return 'code' in plan ? { findings: [...findings, plan], text } : { loaded: { document, compiled, plan }, findings, text };
}

// What the language has and this version cannot run: refused rather than run as something else.
function notYet({ recipe, origin }: Compiled, registry: Registry): Finding[] {
  const refuse = (code: string, path: string, message: string): Finding => {
    return { code, severity: 'error', path, place: origin(path), message };
  };
  const secrets = [...recipe.inputs]
    .filter(([, value]) => isSecret(value))
    .map(([name]) => refuse('inputs.secret_ref', joinPointer('/inputs', name), 'Recipes with secrets cannot be run yet.'));
  const nodes = nodesOf(recipe).flatMap(({ node }) => {
    const asked = cannotRun(node, registry);
    const message = `${node.action} cannot do this yet: ${asked}.`;
    return asked === undefined ? [] : [refuse('action.not_supported', node.pointer, message)];
  });
  return [...secrets, ...nodes];
}

function cannotRun(node: RecipeNode, registry: Registry): string | undefined {
  if (node.routes !== undefined) return 'cases given by the action';
  if (node.templates !== undefined) return 'references to outputs inside of texts';
  return registry.get(node.action)?.cannot?.(node);
}

function notRunnable(document: Document): Finding {
  const message = 'This is a flow catalog: it can be checked and used, but has nothing to run by itself.';
  return { code: 'recipe.nothing_to_run', severity: 'error', path: '', place: document.place(''), message };
}
