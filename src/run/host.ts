// The interface between a run and its host. The host shows each node as a step, saves its evidence, and provides its fixtures.
import type { Call } from '../browser/pageCalls.js';
import type { Place } from '../document/finding.js';
import type { Capture } from '../evidence/journal.js';
import type { Phase, RecordPolicy } from '../recipe/recipe.js';
import type { Vault } from '../secrets/vault.js';

export type Host = {
  name: string;
  version: string;
  fixtures: { readonly [name: string]: unknown };
  /** Stores evidence of the whole run, such as the log of a service, after the last node. */
  attach?(capture: Capture): Promise<void>;
  /** Removes the saved files that contain a secret, and returns their paths. */
  removeLeaks?(vault: Vault): string[];
  /** Shows one node as a step. `begin` is its journal line, on disk before the body starts. A body that throws fails the step. */
  step(info: StepInfo, body: (step: HostStep) => void | Promise<void>): void | Promise<void>;
};

/** `opens`: the step may contain other steps. */
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
  /** Receives the last journal line of the node. */
  end(line: string): void | Promise<void>;
  /** Runs the body as a child of this step. */
  within<T>(body: () => T): T;
  /** Makes the page calls of an action. A host can report each call at the place of the node in the document. */
  call: Call;
};

/** Returns the fixtures that an action, a precondition or a state ref needs, and no others. */
export function pickFixtures(fixtures: Readonly<Record<string, unknown>>, needs: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of needs) picked[name] = fixtures[name];
  return picked;
}
