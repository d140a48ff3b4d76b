// A second implementation of the rules of a region, with which the engine is compared: which nodes must start when the region opens, and
// after each of its children.
import type { PlanNode, Region } from '../../src/engine/plan.js';
import type { NodeRun, SettledEvent } from '../../src/engine/state.js';
import type { Status } from '../../src/recipe/recipe.js';
import { DagRegionModel } from './dagRegionModel.js';
import type { ExpectedStart } from './expectedStarts.js';

const order: readonly Status[] = ['pass', 'unknown', 'fail'];

export function worst(...statuses: Status[]): Status {
  return order[Math.max(...statuses.map((status) => order.indexOf(status)))] ?? 'pass';
}

export class RegionModel {
  status: Status = 'pass';
  isStopped = false;
  isClosed = false;
  startCount = 0;
  readonly running = new Set<string>();
  readonly visits = new Map<string, number>();
  readonly dag: DagRegionModel | undefined;

  constructor(
    readonly region: Region,
    readonly owner: NodeRun | undefined,
    readonly items: number,
  ) {
    this.dag = region.kind === 'dag' ? new DagRegionModel(region) : undefined;
  }

  get children(): PlanNode[] {
    return this.region.kind === 'each' ? Array.from({ length: this.items }, () => this.child) : [...this.nodes.values()];
  }

  get width(): number {
    if (this.region.kind === 'walk') return 1;
    if (this.region.kind === 'dag') return this.region.nodes.size;
    return this.region.kind === 'all' && this.region.inTurn ? 1 : this.region.limit;
  }

  /** The nodes that start when the region opens. Undefined for a dag: `DagRegionModel` checks every start of a dag. */
  startsAtOpening(): ExpectedStart[] | undefined {
    if (this.region.kind === 'dag') return undefined;
    if (this.region.kind === 'walk') return [this.expectStart(this.region.entry)];
    const input = this.passesInput ? this.owner?.input : undefined;
    return this.children.slice(0, this.width).map(({ id }, index) => this.expectStart(id, this.itemAt(index), input));
  }

  /** The nodes that start after a child that passed, was skipped, or failed with a tolerated failure. */
  startsAfter(run: NodeRun, event: SettledEvent): ExpectedStart[] | undefined {
    this.dag?.end(run, event);
    if (this.region.kind === 'dag') return undefined;
    if (this.region.kind === 'walk') return this.nextInWalk(run, event);
    const child = this.children[this.startCount];
    if (!child) return [];
    const piped = this.region.kind === 'all' && this.region.pipe && this.region.inTurn;
    const pipedInput = event.status === 'skip' ? run.input : run.path;
    const outerInput = this.passesInput ? this.owner?.input : undefined;
    return [this.expectStart(child.id, this.itemAt(this.startCount), piped ? pipedInput : outerInput)];
  }

  /** The nodes of a dag that could begin now. After a decision there are none, unless a limit was reached. */
  due(): ExpectedStart[] {
    return (this.dag?.dueIds ?? []).map((id) => this.expectStart(id));
  }

  /** Whether every child, item or node was started or skipped, as in every region that was not stopped. */
  get isComplete(): boolean {
    if (this.region.kind === 'walk') return this.visits.size > 0;
    return this.region.kind === 'dag' ? this.visits.size === this.region.nodes.size : this.startCount === this.children.length;
  }

  private nextInWalk({ node: { next } }: NodeRun, event: SettledEvent): ExpectedStart[] {
    if (next.kind === 'to') return [this.expectStart(next.id)];
    if (next.kind === 'end') this.status = worst(this.status, event.status === 'skip' ? 'unknown' : next.status);
    if (next.kind !== 'cases') return [];
    const target = next.cases.get(event.case ?? 'default');
    if (target === undefined) this.status = worst(this.status, 'unknown');
    return target === undefined ? [] : [this.expectStart(target)];
  }

  /** Whether children get the input of the node around them: branches of a pipe, and items of an `each`. */
  private get passesInput(): boolean {
    return this.region.kind === 'each' || (this.region.kind === 'all' && this.region.pipe);
  }

  private expectStart(id: string, item?: number, input?: string): ExpectedStart {
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
