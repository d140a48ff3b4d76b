// A second implementation of the rules of a dag, which the engine is compared with: which nodes have settled, which edges fired, and
// which loops wait to restart.
import type { Dag, Edge } from '../../src/engine/plan.js';
import type { NodeRun, SettledEvent } from '../../src/engine/state.js';

export class DagRegionModel {
  private readonly settled = new Set<string>();
  private readonly running = new Set<string>();
  private fired: Edge[] = [];
  private loops = new Set<string>();

  constructor(private readonly region: Dag) {}

  end({ node }: NodeRun, event: SettledEvent): void {
    this.running.delete(node.id);
    this.settled.add(node.id);
    if (event.status === 'skip') return;
    for (const [index, edge] of (this.region.out.get(node.id) ?? []).entries()) {
      if (edge.conditional && !event.fired?.includes(index)) continue;
      if (edge.back) this.loops.add(edge.to);
      else this.fired.push(edge);
    }
  }

  /** Throws unless the node may run now, or may be skipped now. */
  begin(id: string, as: 'run' | 'skip'): void {
    const reason = this.findObstacle(id, as);
    if (reason) throw new Error(`Expected: no ${as} of ${id} now, because ${reason}.`);
    if (this.loops.has(id)) this.restart(id);
    if (as === 'run') this.running.add(id);
    else this.settled.add(id);
  }

  /** The nodes that could begin now. After a decision there are none, unless the region was stopped or a limit was reached. */
  get dueIds(): string[] {
    return [...this.region.nodes.keys()].filter((id) => !this.findObstacle(id, 'run') || !this.findObstacle(id, 'skip'));
  }

  private findObstacle(id: string, as: 'run' | 'skip'): string | undefined {
    if ([...this.withDescendants(id)].some((other) => this.running.has(other))) return 'this node or a node after it is running';
    if ([...this.loops].some((loop) => loop !== id && this.withDescendants(loop).has(id)))
      return 'a loop around the node waits to restart';
    const into = this.forwardInto(id);
    if (into.some(({ from }) => !this.settled.has(from))) return 'a parent has not settled';
    if (this.loops.has(id)) return as === 'run' ? undefined : 'a back edge to it fired';
    if (this.settled.has(id)) return 'the node has settled';
    const runs = into.length === 0 || into.some((edge) => this.fired.includes(edge));
    return runs === (as === 'run') ? undefined : `an edge to it ${runs ? 'fired' : 'did not fire'}`;
  }

  private restart(loop: string): void {
    const restarted = this.withDescendants(loop);
    for (const id of restarted) this.settled.delete(id);
    this.fired = this.fired.filter(({ from }) => !restarted.has(from));
    this.loops = new Set([...this.loops].filter((id) => !restarted.has(id)));
  }

  private forwardInto(id: string): Edge[] {
    return [...(this.region.into.get(id) ?? [])].filter(({ back }) => !back);
  }

  private withDescendants(id: string): Set<string> {
    const next = [...(this.region.out.get(id) ?? [])].filter(({ back }) => !back).map(({ to }) => to);
    return new Set([id, ...next.flatMap((to) => [...this.withDescendants(to)])]);
  }
}
