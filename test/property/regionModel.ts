// One region as it runs, told again from the rules alone: what must start when it opens, and after each of its children.
import type { PlanNode, Region } from '../../src/engine/plan.js';
import type { NodeRun, SettledEvent } from '../../src/engine/state.js';
import type { Status } from '../../src/recipe/recipe.js';
import { DagRoom } from './dagRoom.js';
import type { Wanted } from './runRequest.js';

const order: readonly Status[] = ['pass', 'unknown', 'fail'];

export function worst(...statuses: Status[]): Status {
  return order[Math.max(...statuses.map((status) => order.indexOf(status)))] ?? 'pass';
}

export class Room {
  status: Status = 'pass';
  stopped = false;
  over = false;
  begun = 0;
  readonly inFlight = new Set<string>();
  readonly visits = new Map<string, number>();
  readonly dag: DagRoom | undefined;

  constructor(
    readonly region: Region,
    readonly owner: NodeRun | undefined,
    readonly items: number,
  ) {
    this.dag = region.kind === 'dag' ? new DagRoom(region) : undefined;
  }

  get children(): PlanNode[] {
    return this.region.kind === 'each' ? Array.from({ length: this.items }, () => this.child) : [...this.nodes.values()];
  }

  get width(): number {
    if (this.region.kind === 'walk') return 1;
    if (this.region.kind === 'dag') return this.region.nodes.size;
    return this.region.kind === 'all' && this.region.inTurn ? 1 : this.region.limit;
  }

  /** Undefined for a dag: it is asked about each start, and what is due afterwards. */
  opening(): Wanted[] | undefined {
    if (this.region.kind === 'dag') return undefined;
    if (this.region.kind === 'walk') return [this.want(this.region.entry)];
    const input = this.takesInput ? this.owner?.input : undefined;
    return this.children.slice(0, this.width).map(({ id }, index) => this.want(id, this.itemAt(index), input));
  }

  /** What starts after a child that passed, was skipped, or failed in a way that is tolerated. */
  following(run: NodeRun, event: SettledEvent): Wanted[] | undefined {
    this.dag?.settle(run, event);
    if (this.region.kind === 'dag') return undefined;
    if (this.region.kind === 'walk') return this.walkOn(run, event);
    const child = this.children[this.begun];
    if (!child) return [];
    const piped = this.region.kind === 'all' && this.region.pipe && this.region.inTurn;
    const handed = event.status === 'skip' ? run.input : run.path;
    const given = this.takesInput ? this.owner?.input : undefined;
    return [this.want(child.id, this.itemAt(this.begun), piped ? handed : given)];
  }

  /** The nodes of a dag that could begin now: none are left after a decision, unless a budget is used up. */
  due(): Wanted[] {
    return (this.dag?.due ?? []).map((id) => this.want(id));
  }

  /** What a region that nothing stopped owes: every child, item and node was looked at. */
  get complete(): boolean {
    if (this.region.kind === 'walk') return this.visits.size > 0;
    return this.region.kind === 'dag' ? this.visits.size === this.region.nodes.size : this.begun === this.children.length;
  }

  private walkOn({ node: { next } }: NodeRun, event: SettledEvent): Wanted[] {
    if (next.kind === 'to') return [this.want(next.id)];
    if (next.kind === 'end') this.status = worst(this.status, event.status === 'skip' ? 'unknown' : next.status);
    if (next.kind !== 'cases') return [];
    const target = next.cases.get(event.case ?? 'default');
    if (target === undefined) this.status = worst(this.status, 'unknown');
    return target === undefined ? [] : [this.want(target)];
  }

  /** Branches of a pipe and every item of an `each` read what is piped to the node around them. */
  private get takesInput(): boolean {
    return this.region.kind === 'each' || (this.region.kind === 'all' && this.region.pipe);
  }

  private want(id: string, item?: number, input?: string): Wanted {
    const label = item === undefined ? id : `${id}[${item}]`;
    const visit = (this.visits.get(label) ?? 0) + 1;
    const own = visit === 1 ? label : `${label}#${visit}`;
    return { path: this.owner ? `${this.owner.path}/${own}` : own, visit, input };
  }

  private itemAt(index: number): number | undefined {
    return this.region.kind === 'each' ? index : undefined;
  }

  private get nodes(): ReadonlyMap<string, PlanNode> {
    if (this.region.kind === 'each') throw new Error('An each region has one child only.');
    return this.region.nodes;
  }

  private get child(): PlanNode {
    if (this.region.kind !== 'each') throw new Error(`A region of kind ${this.region.kind} has many children.`);
    return this.region.child;
  }
}
