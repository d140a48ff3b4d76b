// Tells the work of a node to stop. The signal is made when somebody listens for it: most work is done before.
import { createAbortNotifier } from '../system/onAbort.js';

export class Stop {
  private controller: AbortController | undefined;
  private tell: (() => void) | undefined;
  private told: { reason: unknown } | undefined;

  abort(reason: unknown): void {
    if (this.told) return;
    this.told = { reason };
    this.controller?.abort(reason);
    this.tell?.();
  }

  get aborted(): boolean {
    return this.told !== undefined;
  }

  get reason(): unknown {
    return this.told?.reason;
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      this.tell = createAbortNotifier(this.controller.signal);
      if (this.told) this.controller.abort(this.told.reason);
    }
    return this.controller.signal;
  }
}
