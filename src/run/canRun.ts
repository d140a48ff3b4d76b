// Which nodes can run with the inputs a recipe was given: gates and cases that ask for nothing but inputs are decided beforehand.

import { type AssertionValues, evaluateAssertion } from '../engine/evaluateAssertion.js';
import { parsePath, readKeys } from '../engine/jsonPath.js';
import { operators } from '../engine/operators.js';
import { referencesIn } from '../engine/references.js';
import type { Assertion, Atomic, Recipe, RecipeNode } from '../recipe/recipe.js';

type Nodes = ReadonlyMap<string, RecipeNode>;

/** The nodes, and the flows that some of them call. */
export type CanRun = { nodes: ReadonlySet<RecipeNode>; flows: ReadonlySet<string> };

export function canRun(recipe: Recipe, inputs: Readonly<Record<string, unknown>>): CanRun {
  const walker = new Walker(recipe.flows, inputs);
  for (const node of [...recipe.setup, ...(recipe.startState ? [recipe.startState] : []), ...recipe.teardown]) walker.visit(node);
  walker.walk(recipe.entry, recipe.nodes);
  return walker;
}

class Walker implements CanRun {
  readonly nodes = new Set<RecipeNode>();
  readonly flows = new Set<string>();

  constructor(
    private readonly known: Recipe['flows'],
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
    const flow = typeof ref === 'string' ? this.known.get(ref) : undefined;
    if (!flow || this.flows.has(flow.id)) return;
    this.flows.add(flow.id);
    this.walk(flow.entry, flow.nodes);
  }

  private isSkipped({ when, unless }: RecipeNode): boolean {
    return (when && this.certainly(when) === false) || (unless && this.certainly(unless) === true) || false;
  }

  private targets({ next, cases = [], fallback, routes }: RecipeNode): string[] {
    const found = [...(next === undefined ? [] : [next]), ...(routes?.values() ?? [])];
    for (const { when, next: target } of cases) {
      const taken = this.certainly(when);
      if (taken !== false) found.push(target);
      if (taken === true) return found;
    }
    return fallback === undefined ? found : [...found, fallback];
  }

  /** Undefined when it depends on more than the inputs. */
  private certainly(assertion: Assertion): boolean | undefined {
    if (asksInputsOnly(assertion)) return evaluateAssertion(assertion, this.values()).held;
    if ('all' in assertion) return assertion.all.some((part) => this.certainly(part) === false) ? false : undefined;
    if ('any' in assertion) return assertion.any.some((part) => this.certainly(part) === true) ? true : undefined;
    return undefined;
  }

  private values(): AssertionValues {
    return {
      find: (source, keys) => readKeys(this.inputs, source === undefined ? keys.slice(1) : keys),
      param: () => ({ found: false }),
    };
  }
}

function asksInputsOnly(assertion: Assertion): boolean {
  if ('all' in assertion) return assertion.all.every(asksInputsOnly);
  if ('any' in assertion) return assertion.any.every(asksInputsOnly);
  if ('none' in assertion) return assertion.none.every(asksInputsOnly);
  const { operator = 'truthy', source, path = '$', param, value }: Atomic = assertion;
  const fromInputs = source === undefined ? parsePath(path)?.[0] === 'inputs' : source === 'inputs';
  return fromInputs && param === undefined && operators.has(operator) && referencesIn(value).length === 0;
}
