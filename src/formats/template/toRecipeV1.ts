// Compiles a template recipe to a Recipe v1 document, which can be printed, checked, drawn and run.
import { joinPointer } from '../../document/jsonPointer.js';
import type { ArgType } from './argDeclarations.js';
import { type Build, compileNode, type NodeJson } from './compileNode.js';
import type { TemplateRecipe } from './model.js';
import { isObject, toRootNode } from './model.js';
import { type PublicArg, publicArgs } from './publicArgs.js';
import type { ContextRecord } from './recipeContext.js';
import { isRunVariable } from './runVariables.js';

export type RecipeV1 = { json: Record<string, unknown>; authored: ReadonlyMap<string, string> };

export type ToRecipeOptions = {
  /** The template before foldEnvelope() moved fields into it. Its form decides the pointers of the steps. */
  authoredTemplate?: unknown;
  /** Ignores a failure of a step without a `failure` field, so that the verdict does not change. */
  compat?: boolean;
  /** The recipe and its imports, for programs that ask a language model. */
  context?: (() => readonly ContextRecord[]) | undefined;
};

const compiledRecipes = new WeakMap<TemplateRecipe, { key: string; compiled: RecipeV1 }>();

export function toRecipeV1(recipe: TemplateRecipe, options: ToRecipeOptions = {}): RecipeV1 {
  const { authoredTemplate = recipe.template, compat = false, context } = options;
  // The recipe is the same object as long as its files do not change.
  const key = `${compat} ${isObject(authoredTemplate)} ${context !== undefined}`;
  const cached = compiledRecipes.get(recipe);
  if (cached?.key === key) return cached.compiled;
  const compiled = compileRecipe(recipe, isObject(authoredTemplate), { context, defaultOnFail: compat ? 'continue' : 'note' });
  compiledRecipes.set(recipe, { key, compiled });
  return compiled;
}

function compileRecipe(recipe: TemplateRecipe, isNested: boolean, settings: Pick<Build, 'defaultOnFail' | 'context'>): RecipeV1 {
  const build: Build = { lists: new Set(), authored: new Map(), ...settings };
  const inner = isNested ? '/template/template' : '/template';
  const context = { defaults: {}, aliases: [], delays: [], pointer: '/template', inner, isFailureAllowed: false, build };
  const root = compileNode(toRootNode(recipe.template), context);
  const nodes = { template: { ...root, next: 'done' }, done: { action: 'end', status: 'pass' } };
  const inputs = compileInputs(recipe.template, build.lists);
  const json = {
    schema_version: 1,
    title: recipe.name,
    ...(recipe.description ? { description: recipe.description } : {}),
    ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
    validate: { workflow: { entry: 'template', nodes, ...buildArtifactTeardown(recipe) } },
  };
  return { json, authored: collectAuthoredPointers(root, build) };
}

// Copies the artifacts in the teardown, which also runs after a failure, when the artifacts matter most.
function buildArtifactTeardown({ artifacts, template }: TemplateRecipe): { teardown?: object[] } {
  if (!artifacts || Object.keys(artifacts).length === 0) return {};
  const { args, defaults } = toRootNode(template);
  const keepNode = {
    id: 'artifacts',
    action: 'rw.keep',
    intent: 'Copy the artifacts of the recipe into the package',
    artifacts,
    ...(isObject(defaults) ? { defaults } : {}),
    ...(Array.isArray(args) ? { args } : {}),
    rw: { in: { values: { source: 'inputs' } } },
  };
  return { teardown: [keepNode] };
}

function collectAuthoredPointers(root: NodeJson, { authored }: Build): Map<string, string> {
  const pointers = new Map<string, string>();
  const visit = (node: NodeJson, pointer: string): void => {
    pointers.set(pointer, authored.get(node) ?? '/template');
    const { body, rw } = node as { body?: { nodes: Record<string, NodeJson> }; rw?: { retry?: { recover?: NodeJson } } };
    for (const [id, child] of Object.entries(body?.nodes ?? {})) visit(child, joinPointer(pointer, 'body', 'nodes', id));
    if (rw?.retry?.recover) visit(rw.retry.recover, joinPointer(pointer, 'rw', 'retry', 'recover'));
  };
  visit(root, '/validate/workflow/nodes/template');
  return pointers;
}

// Converts the public arguments of a recipe to inputs of Recipe v1, with the types that the author declares.

type InputJson = { type: 'string' | 'number' | 'boolean' | 'json'; required?: false; enum?: string[]; default?: unknown };

/** `lists` are the lists whose length is the count of a repetition. They need a value before the run. */
function compileInputs(template: unknown, lists: ReadonlySet<string>): Record<string, InputJson> {
  return Object.fromEntries(publicArgs(addListPlaceholders(template, lists)).map((arg) => [arg.name, toInput(arg, lists)]));
}

// publicArgs() does not find a list that a template reads only by its length and items, so this adds a placeholder for each list.
function addListPlaceholders(template: unknown, lists: ReadonlySet<string>): unknown {
  if (lists.size === 0) return template;
  const placeholders = [...lists].map((list) => `{${list}:array}`).join(' ');
  return typeof template === 'object' && template !== null && !Array.isArray(template)
    ? { ...template, recover: [placeholders, ...[(template as { recover?: unknown }).recover ?? []].flat()] }
    : { template, recover: [placeholders] };
}

function toInput({ name, type, isRequired, default: value }: PublicArg, lists: ReadonlySet<string>): InputJson {
  const input: InputJson = { type: lists.has(name) ? 'json' : toInputType(type) };
  if (type.kind === 'enum') input.enum = [...type.members];
  // The host sets the run variables. Defaults stay in the template, where they may refer to other values. Only a list needs its
  // default here, because it is counted before the run.
  if (lists.has(name) && Array.isArray(value)) input.default = value;
  else if (!isRequired || isRunVariable(name)) input.required = false;
  return input;
}

function toInputType({ kind }: ArgType): InputJson['type'] {
  if (kind === 'int' || kind === 'number') return 'number';
  if (kind === 'bool') return 'boolean';
  return kind === 'array' ? 'json' : 'string';
}
