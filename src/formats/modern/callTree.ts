// The recipes that a recipe calls, and those that they call: each read once, none in a circle, none too deep.
import type { Finding } from '../../document/finding.js';
import type { Document } from '../../document/readDocument.js';
import type { ResolveDocument } from '../../recipe/recipe.js';
import { checkShape } from './checkShape.js';
import { checkGraph, type Graph, readGraph } from './graph.js';
import type { ModernRecipe } from './model.js';
import { type Report, reportOn } from './report.js';

/** One authored recipe that has its shape. */
export type Authored = { document: Document; json: ModernRecipe; graph: Graph; report: Report };

export type CallTree = {
  root?: Authored;
  /** By the id that calls name; callers before what they call. */
  called: ReadonlyMap<string, Authored>;
  findings: Finding[];
};

/** A recipe and this many others inside of each other, as the protocol reference has it. */
const deepest = 7;

export function readCallTree(document: Document, resolve: ResolveDocument): CallTree {
  const findings: Finding[] = [];
  const root = readAuthored(document, findings);
  if (!root) return { called: new Map(), findings };
  const reader = new Reader(root, resolve, findings);
  reader.visit(root, []);
  reportDepth(root, reader.called);
  return { root, called: new Map([...reader.called].reverse()), findings };
}

export function callsOf({ graph }: Authored): { id: string; ref: string }[] {
  return [...graph.nodes].flatMap(([id, { action, ref }]) => (action === 'call' && typeof ref === 'string' ? [{ id, ref }] : []));
}

function readAuthored(document: Document, findings: Finding[]): Authored | undefined {
  const mine: Finding[] = [];
  const report = reportOn(document, mine);
  checkShape(document, report);
  const shaped = mine.length === 0;
  const json = document.value as ModernRecipe;
  const graph = shaped ? readGraph(json) : undefined;
  if (graph) checkGraph(graph, report);
  findings.push(...mine);
  return graph && { document, json, graph, report: reportOn(document, findings) };
}

class Reader {
  /** In the order in which they are done: what is called before its callers. */
  readonly called = new Map<string, Authored>();
  private readonly read = new Map<string, Authored | undefined>();

  constructor(
    private readonly root: Authored,
    private readonly resolve: ResolveDocument,
    private readonly findings: Finding[],
  ) {}

  visit(caller: Authored, open: readonly string[]): void {
    for (const { id, ref } of callsOf(caller)) {
      const at = ['workflow', 'nodes', id, 'ref'];
      const found = this.find(caller, ref, at);
      const circle = open.includes(ref) || found?.document.file === this.root.document.file;
      if (circle) {
        const way = [...open.slice(Math.max(0, open.indexOf(ref))), ref].join(' → ');
        const hint = 'Remove one of these calls.';
        caller.report({ code: 'flow.call_cycle', at, message: `The recipes call each other without end: ${way}.`, hint });
      } else if (found && !this.called.has(ref) && open.length <= deepest) {
        this.visit(found, [...open, ref]);
        this.called.set(ref, found);
      }
    }
  }

  // Libraries are those of the recipe that runs, also for what a library's recipe calls.
  private find(caller: Authored, ref: string, at: string[]): Authored | undefined {
    if (this.read.has(ref)) return this.read.get(ref);
    const { document, problem = 'no library has it.' } = this.resolve(ref, this.root.document.file);
    if (!document) {
      const hint =
        'The id is the path below "recipes/" in a library, with dots: recipes/wallet/unlock.recipe.json is "wallet.unlock".';
      const message = `The recipe ${JSON.stringify(ref)} cannot be read: ${problem}`;
      caller.report({ code: 'workflow.unresolved_call_ref', at, message, hint });
      return undefined;
    }
    const found = document.file === this.root.document.file ? this.root : readAuthored(document, this.findings);
    this.read.set(ref, found);
    return found;
  }
}

// Callers come first, so a recipe's depth is final before those below it are looked at.
function reportDepth(root: Authored, done: ReadonlyMap<string, Authored>): void {
  const depths = new Map<string, number>();
  const descend = (caller: Authored, depth: number): void => {
    for (const { id, ref } of callsOf(caller)) {
      depths.set(ref, Math.max(depth, depths.get(ref) ?? 0));
      if (depth !== deepest + 1) continue;
      const message = `The call of ${JSON.stringify(ref)} is number ${depth} inside of each other; at most ${deepest} are allowed.`;
      const hint = 'Call it from a recipe further up.';
      caller.report({ code: 'flow.call_depth', at: ['workflow', 'nodes', id, 'ref'], message, hint });
    }
  };
  descend(root, 1);
  for (const [ref, recipe] of [...done].reverse()) descend(recipe, (depths.get(ref) ?? 0) + 1);
}
