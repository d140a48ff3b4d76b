// Finds references to inputs without a value before the run. During the run such a reference would fail after half of the work is done.
import { listAtoms, listNodes, type NodeInGraph, type PlacedAtom } from '../../check/recipeNodes.js';
import { isInputDescriptor, isSecret } from '../../check/rules/inputs.js';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { type AssertionValues, evaluateAssertion } from '../../engine/evaluateAssertion.js';
import { parsePath, readKeys } from '../../engine/jsonPath.js';
import { operators } from '../../engine/operators.js';
import { referencesAt, referencesIn } from '../../engine/references.js';
import type { Assertion, Atomic, CompiledRecipe, Recipe, RecipeNode } from '../../recipe/recipe.js';

type InputValues = Readonly<Record<string, unknown>>;
/** `label`: the reference as a message quotes it. */
type InputReference = { keys: readonly string[]; label: string; path: string };

export function findUnfilledReferences(compiled: CompiledRecipe, values: InputValues): Finding[] {
  const { recipe, origin, isLiteral = false } = compiled;
  if (isLiteral && [...recipe.inputs].every(([name, input]) => Object.hasOwn(values, name) || isSecret(input))) return [];
  const runnable = findRunnable(recipe, values);
  const nodes = listNodes(recipe).filter(({ node }) => runnable.nodes.has(node));
  const atoms = listAtoms(nodes, compiled).filter(({ use, flow = '' }) => use !== 'postcondition' || runnable.flows.has(flow));
  const references = [...referencesInGates(recipe), ...nodes.flatMap(referencesInNode), ...atoms.flatMap(referencesInAtom)];
  return references.flatMap(({ keys, label, path }) => {
    const problem = explainMissingValue(keys, recipe.inputs, values);
    if (problem === undefined) return [];
    const finding = { code: 'template.unresolved_reference', severity: 'error' as const, path, place: origin(path) };
    return [{ ...finding, message: `${label} has no value: ${problem.why}.`, hint: problem.hint }];
  });
}

// Reports only optional inputs and missing keys. `resolveInputs` reports a required input without a value, and the rules report undeclared names.
function explainMissingValue(
  keys: readonly string[],
  declared: Recipe['inputs'],
  values: InputValues,
): { why: string; hint: string } | undefined {
  const [name = '', ...rest] = keys;
  const input = declared.get(name);
  if (!declared.has(name) || isSecret(input) || readKeys(values, keys).found) return undefined;
  if (Object.hasOwn(values, name)) {
    const why = `the input ${JSON.stringify(name)} is ${printShortened(values[name])}, which has no ${JSON.stringify(rest.join('.'))}`;
    return { why, hint: 'Refer to a key that the input has, or set the input to another value.' };
  }
  if (!isInputDescriptor(input) || input.required !== false) return undefined;
  const gate = JSON.stringify({ source: 'inputs', path: `$.${name}`, operator: 'exists' });
  const hint = `Set the input with --input ${name}=…, add a "default", or run the node only when the input has a value: "when": ${gate}.`;
  return { why: `the input ${JSON.stringify(name)} is optional and has no value`, hint };
}

function printShortened(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function referencesInGates({ preConditions }: Recipe): InputReference[] {
  return preConditions.flatMap(({ params, pointer }) => referencesInValue(params, joinPointer(pointer, 'params')));
}

function referencesInNode({ node }: NodeInGraph): InputReference[] {
  const fromBindings = [...node.bindings].flatMap(([field, { source, path = '$' }]) => {
    const keys = parsePath(path) ?? [];
    const pointer = joinPointer(node.pointer, 'rw', 'in', field, 'path');
    return source === 'inputs' && keys.length > 0 ? [{ keys, label: `inputs ${path}`, path: pointer }] : [];
  });
  return [...referencesInValue(node.fields, node.pointer), ...fromBindings];
}

function referencesInAtom({ atom: { value, param }, pointer, flow }: PlacedAtom): InputReference[] {
  const found = referencesInValue(value, joinPointer(pointer, 'value'));
  // Inside a flow, `param` may name a param of the flow.
  if (param === undefined || flow !== undefined) return found;
  return [...found, { keys: [param], label: `"param": ${JSON.stringify(param)}`, path: joinPointer(pointer, 'param') }];
}

function referencesInValue(value: unknown, path: string): InputReference[] {
  if (typeof value === 'string') return referencesAt(value).flatMap(({ name }) => referencesToInput(name, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => referencesInValue(inner, joinPointer(path, key)));
}

function referencesToInput(name: string, path: string): InputReference[] {
  const [root = '', ...rest] = name.split('.');
  if (root === 'params' || root === 'outputs') return [];
  return [{ keys: root === 'inputs' ? rest : [root, ...rest], label: `{{${name}}}`, path }];
}

// Finds the nodes that can run with the given inputs. Gates and cases that read only inputs are evaluated before the run.

type Nodes = ReadonlyMap<string, RecipeNode>;

/** The nodes that can run, and the flows that they call. */
type RunnableParts = { nodes: ReadonlySet<RecipeNode>; flows: ReadonlySet<string> };

function findRunnable(recipe: Recipe, inputs: Readonly<Record<string, unknown>>): RunnableParts {
  const walker = new RunnableWalker(recipe.flows, inputs);
  for (const node of [...recipe.setup, ...(recipe.startState ? [recipe.startState] : []), ...recipe.teardown]) walker.visit(node);
  walker.walk(recipe.entry, recipe.nodes);
  return walker;
}

class RunnableWalker implements RunnableParts {
  readonly nodes = new Set<RecipeNode>();
  readonly flows = new Set<string>();

  constructor(
    private readonly knownFlows: Recipe['flows'],
    private readonly inputs: Readonly<Record<string, unknown>>,
  ) {}

  walk(entry: string, nodes: Nodes): void {
    const ids = new Set([entry]);
    for (const id of ids) {
      const node = nodes.get(id);
      if (!node) continue;
      this.visit(node);
      for (const target of this.targets(node)) ids.add(target);
    }
  }

  visit(node: RecipeNode): void {
    if (this.nodes.has(node) || this.isSkipped(node)) return;
    this.nodes.add(node);
    for (const child of node.body?.nodes.values() ?? []) this.visit(child);
    if (node.retry?.recover) this.visit(node.retry.recover);
    const { ref } = node.fields;
    const flow = typeof ref === 'string' ? this.knownFlows.get(ref) : undefined;
    if (!flow || this.flows.has(flow.id)) return;
    this.flows.add(flow.id);
    this.walk(flow.entry, flow.nodes);
  }

  private isSkipped({ when, unless }: RecipeNode): boolean {
    return (when && this.decideByInputs(when) === false) || (unless && this.decideByInputs(unless) === true) || false;
  }

  private targets({ next, cases = [], fallback, routes }: RecipeNode): string[] {
    const found = [...(next === undefined ? [] : [next]), ...(routes?.values() ?? [])];
    for (const { when, next: target } of cases) {
      const isTaken = this.decideByInputs(when);
      if (isTaken !== false) found.push(target);
      if (isTaken === true) return found;
    }
    return fallback === undefined ? found : [...found, fallback];
  }

  /** Returns undefined when the assertion depends on more than the inputs. */
  private decideByInputs(assertion: Assertion): boolean | undefined {
    if (readsInputsOnly(assertion)) return evaluateAssertion(assertion, this.values()).held;
    if ('all' in assertion) return assertion.all.some((part) => this.decideByInputs(part) === false) ? false : undefined;
    if ('any' in assertion) return assertion.any.some((part) => this.decideByInputs(part) === true) ? true : undefined;
    return undefined;
  }

  private values(): AssertionValues {
    return {
      find: (source, keys) => readKeys(this.inputs, source === undefined ? keys.slice(1) : keys),
      param: () => ({ found: false }),
    };
  }
}

function readsInputsOnly(assertion: Assertion): boolean {
  if ('all' in assertion) return assertion.all.every(readsInputsOnly);
  if ('any' in assertion) return assertion.any.every(readsInputsOnly);
  if ('none' in assertion) return assertion.none.every(readsInputsOnly);
  const { operator = 'truthy', source, path = '$', param, value }: Atomic = assertion;
  const fromInputs = source === undefined ? parsePath(path)?.[0] === 'inputs' : source === 'inputs';
  return fromInputs && param === undefined && operators.has(operator) && referencesIn(value).length === 0;
}
