// The shared memory of a topology: what nodes change becomes visible when their layer has ended.
import { RecipeError } from '../../../evidence/failure.js';
import type { Self } from './fields.js';

type Dict = Readonly<Record<string, unknown>>;
type Change = { node: string; layer: number; update: Dict };

export class Memory {
  private changes: Change[] = [];

  constructor(
    private state: Dict,
    readonly outputs: Map<string, unknown> = new Map(),
  ) {}

  /** What a node sees: all that was changed but what others in its own layer change. */
  seenBy({ node, layer }: Self): Dict {
    const isOver = (change: Change): boolean => change.layer !== layer || change.node === node;
    for (const { update } of this.changes.filter(isOver)) this.state = { ...this.state, ...update };
    this.changes = this.changes.filter((change) => !isOver(change));
    return this.state;
  }

  /** All of it, for those who come when nothing runs any more. */
  whole(): Dict {
    return Object.fromEntries([this.state, ...this.changes.map(({ update }) => update)].flatMap((part) => Object.entries(part)));
  }

  change({ node, layer }: Self, update: Dict): void {
    for (const key of Object.keys(update)) {
      const other = this.changes.find(
        (change) => change.layer === layer && change.node !== node && Object.hasOwn(change.update, key),
      );
      if (!other) continue;
      const message = `${JSON.stringify(node)} and ${JSON.stringify(other.node)} both change ${JSON.stringify(key)} of the state in the same layer, so nobody can say which value counts. Let one of them give it, or return { output, state } with other keys.`;
      throw new RecipeError('runtime.state_conflict', 'action', message);
    }
    this.changes.push({ node, layer, update });
  }
}
