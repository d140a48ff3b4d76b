// Tells the work of a node to stop. The signal is made when somebody listens for it: most work is done before.
export class Stop {
  private controller: AbortController | undefined;
  private told: { reason: unknown } | undefined;

  abort(reason: unknown): void {
    this.told ??= { reason };
    this.controller?.abort(reason);
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
      if (this.told) this.controller.abort(this.told.reason);
    }
    return this.controller.signal;
  }
}
