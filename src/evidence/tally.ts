// What a part of a run says for and against it, summed up as it goes: counts and the first reasons, never outputs.
import type { Status } from '../recipe/recipe.js';
import type { CauseClass } from './failure.js';

export type Opinion = { status: Exclude<Status, 'pass'>; reason: string; cause?: CauseClass };

/** `at` is where in the journal it was said: of several opinions of one weight the first one counts. */
type Said = Opinion & { at: number };

export type Counts = { held: number; failed: number; artifacts: number };

export class Tally {
  private failures = new Map<Opinion['status'], Said>();
  private readonly issues = new Map<Opinion['status'], Said>();
  readonly counts = new Map<string, Counts>();

  fail(opinion: Said): void {
    keepFirst(this.failures, opinion);
  }

  report(opinion: Said): void {
    keepFirst(this.issues, opinion);
  }

  count(target: string, add: Partial<Counts>): void {
    const { held, failed, artifacts } = this.counts.get(target) ?? { held: 0, failed: 0, artifacts: 0 };
    this.counts.set(target, {
      held: held + (add.held ?? 0),
      failed: failed + (add.failed ?? 0),
      artifacts: artifacts + (add.artifacts ?? 0),
    });
  }

  /** A failure that the node around it tolerates does not count; what was asserted and reported does. */
  forgive(): void {
    this.failures = new Map();
  }

  add(other: Tally): void {
    for (const said of other.failures.values()) this.fail(said);
    for (const said of other.issues.values()) this.report(said);
    for (const [target, counts] of other.counts) this.count(target, counts);
  }

  opinions(): Opinion[] {
    const inOrder = (said: Iterable<Said>): Said[] => [...said].sort((a, b) => a.at - b.at);
    return [...inOrder(this.failures.values()), ...inOrder(this.issues.values())];
  }
}

function keepFirst(known: Map<Opinion['status'], Said>, said: Said): void {
  const before = known.get(said.status);
  if (!before || said.at < before.at) known.set(said.status, said);
}
