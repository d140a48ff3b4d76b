// Decides which nodes one video shows: consecutive nodes of one claim with the record policy proof_window.
import type { ObservedNode } from '../nodeObserver.js';

export class ProofWindow {
  /** The path of a node with inner nodes. The window stays open until this node ends. */
  private parentPath: string | undefined;
  readonly nodeId: string;
  readonly proofTarget: string | undefined;

  constructor(node: ObservedNode) {
    this.nodeId = node.path;
    this.proofTarget = node.proofTarget;
    this.setParentPath(node);
  }

  /** Whether the window stays open for a node that begins. */
  includes(node: ObservedNode): boolean {
    const continues = node.proofTarget === this.proofTarget ? opensWindow(node) || showsResult(node) : false;
    const isInside = this.parentPath !== undefined && node.path.startsWith(`${this.parentPath}/`);
    if (continues) this.setParentPath(node);
    return continues || (isInside && !opensWindow(node) && !isPreparation(node) && node.record !== 'none');
  }

  nodeEnds({ path }: ObservedNode): void {
    if (path === this.parentPath) this.parentPath = undefined;
  }

  private setParentPath({ opens, path }: ObservedNode): void {
    if (opens) this.parentPath ??= path;
  }
}

export function opensWindow({ record, skip }: ObservedNode): boolean {
  return record === 'proof_window' && skip === undefined;
}

// An assertion waits for the result of the interaction before it. A video that ends earlier would not show that result.
function showsResult({ phase, record, proofTarget }: ObservedNode): boolean {
  return phase === 'assert' && record === 'trace_only' && proofTarget !== undefined;
}

// A preparation is in the video only if its node has the record policy proof_window itself.
function isPreparation({ phase }: ObservedNode): boolean {
  return phase === 'setup' || phase === 'start_state' || phase === 'teardown';
}
