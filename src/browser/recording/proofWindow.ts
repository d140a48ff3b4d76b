// Which nodes one video shows: an unbroken run of proof_window nodes of one claim.
import type { ObservedNode } from '../nodeObserver.js';

export class ProofWindow {
  /** The node that holds it open until it ends, with all that runs inside of it. */
  private holder: string | undefined;
  readonly nodeId: string;
  readonly proofTarget: string | undefined;

  constructor(node: ObservedNode) {
    this.nodeId = node.path;
    this.proofTarget = node.proofTarget;
    this.setHolder(node);
  }

  /** Whether the window goes on with a node that begins. */
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

// An assertion waits for what the interaction before it brings about: a video that ends before it shows nothing.
function showsResult({ phase, record, proofTarget }: ObservedNode): boolean {
  return phase === 'assert' && record === 'trace_only' && proofTarget !== undefined;
}

// Where getting ready is itself the claim, its node says so by a policy of its own.
function isPreparation({ phase }: ObservedNode): boolean {
  return phase === 'setup' || phase === 'start_state' || phase === 'teardown';
}
