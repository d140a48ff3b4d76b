// A template recipe as a Recipe v1 document that can be printed, checked, drawn and run.
import { joinPointer } from '../../document/jsonPointer.js';
import { compileInputs } from './compileInputs.js';
import { type Build, compileNode, type NodeJson } from './compileNode.js';
import type { ContextRecord } from './recipeContext.js';
import { isObject, toRoot } from './templateNode.js';
import type { TemplateRecipe } from './templateRecipe.js';

export type RecipeV1 = { json: Record<string, unknown>; authored: ReadonlyMap<string, string> };

export type ToRecipeOptions = {
  written?: unknown;
  /** A failure that nobody marked is passed over, and the verdict does not hear of it. */
  compat?: boolean;
  /** The recipe and what it imports, for programs that ask a language model. */
  context?: (() => readonly ContextRecord[]) | undefined;
};

const made = new WeakMap<TemplateRecipe, { key: string; compiled: RecipeV1 }>();

/** `written`: the template before anything was folded around it, which tells where its steps stand. */
export function toRecipeV1(recipe: TemplateRecipe, options: ToRecipeOptions = {}): RecipeV1 {
  const { written = recipe.template, compat = false, context } = options;
  // A recipe that was loaded before is the same object as long as its files are the same.
  const key = `${compat} ${isObject(written)} ${context !== undefined}`;
  const before = made.get(recipe);
  if (before?.key === key) return before.compiled;
  const compiled = compileRecipe(recipe, isObject(written), { context, unmarked: compat ? 'continue' : 'note' });
  made.set(recipe, { key, compiled });
  return compiled;
}

function compileRecipe(recipe: TemplateRecipe, isNested: boolean, how: Pick<Build, 'unmarked' | 'context'>): RecipeV1 {
  const build: Build = { lists: new Set(), authored: new Map(), ...how };
  const inner = isNested ? '/template/template' : '/template';
  const around = { defaults: {}, aliases: [], delays: [], pointer: '/template', inner, isForgiven: false, build };
  const root = compileNode(toRoot(recipe.template), around);
  const nodes = { template: { ...root, next: 'done' }, done: { action: 'end', status: 'pass' } };
  const inputs = compileInputs(recipe.template, build.lists);
  const json = {
    ...{ schema_version: 1, title: recipe.name, ...(recipe.description ? { description: recipe.description } : {}) },
    ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
    validate: { workflow: { entry: 'template', nodes, ...keeping(recipe) } },
  };
  return { json, authored: pointersOf(root, build) };
}

// At the end of the run, however that comes: what a run left that failed is what one wants to look at.
function keeping({ artifacts, template }: TemplateRecipe): { teardown?: object[] } {
  if (!artifacts || Object.keys(artifacts).length === 0) return {};
  const { args, defaults } = toRoot(template);
  const keep = {
    ...{ id: 'artifacts', action: 'rw.keep', intent: 'Keep the files that the recipe declares as its artifacts', artifacts },
    ...(isObject(defaults) ? { defaults } : {}),
    ...(Array.isArray(args) ? { args } : {}),
    rw: { in: { values: { source: 'inputs' } } },
  };
  return { teardown: [keep] };
}

function pointersOf(root: NodeJson, { authored }: Build): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (node: NodeJson, pointer: string): void => {
    found.set(pointer, authored.get(node) ?? '/template');
    const { body, rw } = node as { body?: { nodes: Record<string, NodeJson> }; rw?: { retry?: { recover?: NodeJson } } };
    for (const [id, child] of Object.entries(body?.nodes ?? {})) visit(child, joinPointer(pointer, 'body', 'nodes', id));
    if (rw?.retry?.recover) visit(rw.retry.recover, joinPointer(pointer, 'rw', 'retry', 'recover'));
  };
  visit(root, '/validate/workflow/nodes/template');
  return found;
}
