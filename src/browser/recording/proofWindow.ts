// Which nodes one video shows: an unbroken run of proof_window nodes of one claim.
import type { SeenNode } from '../onlooker.js';

export class ProofWindow {
  /** The node that holds it open until it ends, with all that runs inside of it. */
  private holder: string | undefined;
  readonly nodeId: string;
  readonly proofTarget: string | undefined;

  constructor(node: SeenNode) {
    this.nodeId = node.path;
    this.proofTarget = node.proofTarget;
    this.hold(node);
  }

  /** Whether the window goes on with a node that begins. */
  takes(node: SeenNode): boolean {
    const goesOn = node.proofTarget === this.proofTarget ? opensWindow(node) || showsResult(node) : false;
    const isHeld = this.holder !== undefined && node.path.startsWith(`${this.holder}/`);
    if (goesOn) this.hold(node);
    return goesOn || (isHeld && !opensWindow(node) && !prepares(node) && node.record !== 'none');
  }

  nodeEnds({ path }: SeenNode): void {
    if (path === this.holder) this.holder = undefined;
  }

  private hold({ opens, path }: SeenNode): void {
    if (opens) this.holder ??= path;
  }
}

export function opensWindow({ record, skip }: SeenNode): boolean {
  return record === 'proof_window' && skip === undefined;
}

// An assertion waits for what the interaction before it brings about: a video that ends before it shows nothing.
function showsResult({ phase, record, proofTarget }: SeenNode): boolean {
  return phase === 'assert' && record === 'trace_only' && proofTarget !== undefined;
}

// Where getting ready is itself the claim, its node says so by a policy of its own.
function prepares({ phase }: SeenNode): boolean {
  return phase === 'setup' || phase === 'start_state' || phase === 'teardown';
}
