// A dag as it runs, told again from the rules alone: which nodes are settled, which edges fired, which loops wait to begin again.
import type { Dag, Edge } from '../../src/engine/plan.js';
import type { NodeRun, SettledEvent } from '../../src/engine/state.js';

export class DagRoom {
  private readonly settled = new Set<string>();
  private readonly inFlight = new Set<string>();
  private fired: Edge[] = [];
  private loops = new Set<string>();

  constructor(private readonly region: Dag) {}

  settle({ node }: NodeRun, event: SettledEvent): void {
    this.inFlight.delete(node.id);
    this.settled.add(node.id);
    if (event.status === 'skip') return;
    for (const [index, edge] of (this.region.out.get(node.id) ?? []).entries()) {
      if (edge.conditional && !event.fired?.includes(index)) continue;
      if (edge.back) this.loops.add(edge.to);
      else this.fired.push(edge);
    }
  }

  /** Throws unless the node may run, or be skipped, right now. */
  begin(id: string, as: 'run' | 'skip'): void {
    const wrong = this.faultOf(id, as);
    if (wrong) throw new Error(`Expected: ${id} has no ${as} yet: ${wrong}.`);
    if (this.loops.has(id)) this.unsettle(id);
    if (as === 'run') this.inFlight.add(id);
    else this.settled.add(id);
  }

  /** The nodes that could begin now: none are left after a decision, unless the region was stopped or a budget used up. */
  get due(): string[] {
    return [...this.region.nodes.keys()].filter((id) => !this.faultOf(id, 'run') || !this.faultOf(id, 'skip'));
  }

  private faultOf(id: string, as: 'run' | 'skip'): string | undefined {
    const around = this.after(id);
    if ([...around].some((other) => this.inFlight.has(other))) return 'it or what follows it is in flight';
    if ([...this.loops].some((loop) => loop !== id && this.after(loop).has(id))) return 'a loop it is in waits to begin again';
    const into = this.forwardInto(id);
    if (into.some(({ from }) => !this.settled.has(from))) return 'a parent is not settled';
    if (this.loops.has(id)) return as === 'run' ? undefined : 'a back edge to it fired';
    if (this.settled.has(id)) return 'it is settled';
    const runs = into.length === 0 || into.some((edge) => this.fired.includes(edge));
    return runs === (as === 'run') ? undefined : `an edge to it ${runs ? 'fired' : 'did not fire'}`;
  }

  private unsettle(loop: string): void {
    const again = this.after(loop);
    for (const id of again) this.settled.delete(id);
    this.fired = this.fired.filter(({ from }) => !again.has(from));
    this.loops = new Set([...this.loops].filter((id) => !again.has(id)));
  }

  private forwardInto(id: string): Edge[] {
    return [...(this.region.into.get(id) ?? [])].filter(({ back }) => !back);
  }

  private after(id: string): Set<string> {
    const next = [...(this.region.out.get(id) ?? [])].filter(({ back }) => !back).map(({ to }) => to);
    return new Set([id, ...next.flatMap((to) => [...this.after(to)])]);
  }
}
