// Reads all recipes that a recipe calls, directly and indirectly, and reports cycles and calls that are too deep.
import type { Finding } from '../../document/finding.js';
import type { Document } from '../../document/readDocument.js';
import type { ResolveDocument } from '../../recipe/recipe.js';
import { checkShape } from './checkShape.js';
import { checkGraph, type Graph, readGraph } from './graph.js';
import type { ModernRecipe } from './model.js';
import { createProblemReporter, type ReportProblem } from './problemReporter.js';

/** A recipe that matches the model. */
export type AuthoredRecipe = { document: Document; json: ModernRecipe; graph: Graph; report: ReportProblem };

type CallTree = {
  root?: AuthoredRecipe;
  /** By their ids. Callers come before the recipes they call. */
  called: ReadonlyMap<string, AuthoredRecipe>;
  findings: Finding[];
};

/** The limit of the reference implementation, not counting the root recipe. */
const maxCallDepth = 7;

export function readCallTree(document: Document, resolve: ResolveDocument): CallTree {
  const findings: Finding[] = [];
  const root = readAuthoredRecipe(document, findings);
  if (!root) return { called: new Map(), findings };
  const reader = new CallReader(root, resolve, findings);
  reader.visit(root, []);
  reportDepth(root, reader.called);
  return { root, called: new Map([...reader.called].reverse()), findings };
}

function listCalls({ graph }: AuthoredRecipe): { id: string; ref: string }[] {
  return [...graph.nodes].flatMap(([id, { action, ref }]) => (action === 'call' && typeof ref === 'string' ? [{ id, ref }] : []));
}

function readAuthoredRecipe(document: Document, findings: Finding[]): AuthoredRecipe | undefined {
  const ownFindings: Finding[] = [];
  const report = createProblemReporter(document, ownFindings);
  checkShape(document, report);
  const hasShape = ownFindings.length === 0;
  const json = document.value as ModernRecipe;
  const graph = hasShape ? readGraph(json) : undefined;
  if (graph) checkGraph(graph, report);
  findings.push(...ownFindings);
  return graph && { document, json, graph, report: createProblemReporter(document, findings) };
}

class CallReader {
  /** Called recipes come before their callers. */
  readonly called = new Map<string, AuthoredRecipe>();
  private readonly readByRef = new Map<string, AuthoredRecipe | undefined>();

  constructor(
    private readonly root: AuthoredRecipe,
    private readonly resolve: ResolveDocument,
    private readonly findings: Finding[],
  ) {}

  visit(caller: AuthoredRecipe, callStack: readonly string[]): void {
    for (const { id, ref } of listCalls(caller)) {
      const at = ['workflow', 'nodes', id, 'ref'];
      const callee = this.find(caller, ref, at);
      const isCycle = callStack.includes(ref) || callee?.document.file === this.root.document.file;
      if (isCycle) {
        const cycle = [...callStack.slice(Math.max(0, callStack.indexOf(ref))), ref].join(' → ');
        const hint = 'Remove one of these calls.';
        caller.report({ code: 'flow.call_cycle', at, message: `The recipes call each other in a cycle: ${cycle}.`, hint });
      } else if (callee && !this.called.has(ref) && callStack.length <= maxCallDepth) {
        this.visit(callee, [...callStack, ref]);
        this.called.set(ref, callee);
      }
    }
  }

  // Resolves every call with the libraries of the root recipe, even a call in a library recipe.
  private find(caller: AuthoredRecipe, ref: string, at: string[]): AuthoredRecipe | undefined {
    if (this.readByRef.has(ref)) return this.readByRef.get(ref);
    const { document, problem = 'no library has a recipe with this id.' } = this.resolve(ref, this.root.document.file);
    if (!document) {
      const hint =
        'The id is the path below "recipes/" in a library, with dots: recipes/wallet/unlock.recipe.json is "wallet.unlock".';
      const message = `The recipe ${JSON.stringify(ref)} cannot be read: ${problem}`;
      caller.report({ code: 'workflow.unresolved_call_ref', at, message, hint });
      return undefined;
    }
    const recipe = document.file === this.root.document.file ? this.root : readAuthoredRecipe(document, this.findings);
    this.readByRef.set(ref, recipe);
    return recipe;
  }
}

// Callers are visited first, so the depth of a recipe is final before its own calls are visited.
function reportDepth(root: AuthoredRecipe, called: ReadonlyMap<string, AuthoredRecipe>): void {
  const depths = new Map<string, number>();
  const descend = (caller: AuthoredRecipe, depth: number): void => {
    for (const { id, ref } of listCalls(caller)) {
      depths.set(ref, Math.max(depth, depths.get(ref) ?? 0));
      if (depth !== maxCallDepth + 1) continue;
      const message = `The call of ${JSON.stringify(ref)} is nested ${depth} deep. The limit is ${maxCallDepth}.`;
      const hint = 'Call it from a recipe closer to the root.';
      caller.report({ code: 'flow.call_depth', at: ['workflow', 'nodes', id, 'ref'], message, hint });
    }
  };
  descend(root, 1);
  for (const [ref, recipe] of [...called].reverse()) descend(recipe, (depths.get(ref) ?? 0) + 1);
}
