// What a host gives a run: a place to show each node as a step, to keep its evidence, and the fixtures it asks for.
import type { Call } from '../browser/pageCalls.js';
import type { Place } from '../document/finding.js';
import type { Capture } from '../evidence/journal.js';
import type { Phase, RecordPolicy } from '../recipe/recipe.js';
import type { Vault } from '../secrets/vault.js';

export type Host = {
  name: string;
  version: string;
  fixtures: { readonly [name: string]: unknown };
  /** Keeps evidence of the run as a whole, when its nodes are over. */
  attach?(capture: Capture): Promise<void>;
  /** Takes out what it kept that holds a secret, and names it. */
  removeLeaks?(vault: Vault): string[];
  /** Shows one node. `begin` is its journal line, safe before the body starts; a body that throws marks the step as failed. */
  step(info: StepInfo, body: (step: HostStep) => void | Promise<void>): void | Promise<void>;
};

/** `opens`: steps may come inside this one. */
export type StepInfo = {
  title: string;
  subtitle: string;
  place: Place;
  begin: string;
  opens: boolean;
  record: RecordPolicy;
  phase: Phase | undefined;
  skip?: string | undefined;
};

export type HostStep = {
  attach(capture: Capture): Promise<void>;
  /** Hands over the closing journal line of the node. */
  end(line: string): void | Promise<void>;
  /** Runs something as a child of this step. */
  within<T>(body: () => T): T;
  /** How an action calls what it was given, for hosts that report calls from where they are made. */
  call: Call;
};

/** An action, a gate or a look at state sees only the fixtures it asks for. */
export function pickFixtures(fixtures: Readonly<Record<string, unknown>>, needs: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of needs) picked[name] = fixtures[name];
  return picked;
}
