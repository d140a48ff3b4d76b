// Decides which nodes one video shows: consecutive proof_window nodes of one claim.
import type { ObservedNode } from '../nodeObserver.js';

export class ProofWindow {
  /** The path of a node with inner nodes, which keeps the window open until it ends. */
  private holder: string | undefined;
  readonly nodeId: string;
  readonly proofTarget: string | undefined;

  constructor(node: ObservedNode) {
    this.nodeId = node.path;
    this.proofTarget = node.proofTarget;
    this.setHolder(node);
  }

  /** Whether the window stays open for a node that begins. */
  includes(node: ObservedNode): boolean {
    const continues = node.proofTarget === this.proofTarget ? opensWindow(node) || showsResult(node) : false;
    const isHeld = this.holder !== undefined && node.path.startsWith(`${this.holder}/`);
    if (continues) this.setHolder(node);
    return continues || (isHeld && !opensWindow(node) && !isPreparation(node) && node.record !== 'none');
  }

  nodeEnds({ path }: ObservedNode): void {
    if (path === this.holder) this.holder = undefined;
  }

  private setHolder({ opens, path }: ObservedNode): void {
    if (opens) this.holder ??= path;
  }
}

export function opensWindow({ record, skip }: ObservedNode): boolean {
  return record === 'proof_window' && skip === undefined;
}

// An assertion waits for the result of the interaction before it. A video that ends earlier would not show that result.
function showsResult({ phase, record, proofTarget }: ObservedNode): boolean {
  return phase === 'assert' && record === 'trace_only' && proofTarget !== undefined;
}

// When a preparation is itself part of the claim, its node has a record policy of its own.
function isPreparation({ phase }: ObservedNode): boolean {
  return phase === 'setup' || phase === 'start_state' || phase === 'teardown';
}
