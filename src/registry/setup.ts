// The one setup module of a project, the same for every host: its own actions, gates, operators and looks at state.
import type { z } from 'zod';
import type { Action } from '../actions/action.js';
import type { CustomOperator } from '../engine/operators.js';
import type { TargetResolver } from '../formats/flowSpec/settings.js';
import type { Agent, Logic, Router } from '../formats/runtime/actions/projectHandlers.js';

export type Setup = {
  actions?: readonly Action[];
  preconditions?: readonly Precondition[];
  operators?: readonly DefinedOperator[];
  stateRefs?: readonly StateRef[];
  /** For runtime recipes: who does the work of their nodes, by name. */
  agents?: readonly Agent[];
  logic?: readonly Logic[];
  routers?: readonly Router[];
  /** For flow-specs: finds a target on a page where its words alone do not. */
  targetResolver?: TargetResolver;
};

/** What a gate or a look at state is given: the fixtures it asks for and nothing else of the run. */
export type Around = {
  fixtures: Readonly<Record<string, unknown>>;
  projectRoot: string;
  inputs: Readonly<Record<string, unknown>>;
  signal: AbortSignal;
};

/** Who is at fault when a gate is closed; product and assertion mean the product. */
export type GateFailure = 'setup' | 'environment' | 'fixture' | 'product' | 'assertion' | 'unknown';

export type GateAnswer = boolean | { ok: boolean; output?: unknown; error?: string };

/** A named gate that is checked before anything of a recipe runs. */
export type Precondition<S extends z.ZodType = z.ZodType> = {
  id: string;
  description: string;
  failureKind?: GateFailure;
  /** What the recipe may give it as `params`. */
  params?: S;
  needs?: readonly string[];
  timeoutMs?: number;
  check(params: z.output<S>, around: Around): GateAnswer | Promise<GateAnswer>;
};

/** An assertion operator of the project's own, with a namespace: `shop.is_price`. */
export type DefinedOperator = CustomOperator & { name: string; description: string };

/** A value of the running product that assertions read as `source: "state:<name>"`. */
export type StateRef = {
  name: string;
  description: string;
  needs?: readonly string[];
  read(around: Around): unknown;
};

export function defineSetup(setup: Setup): Setup {
  return setup;
}

export function definePrecondition<S extends z.ZodType = z.ZodType<Record<string, unknown>>>(
  gate: Precondition<S>,
): Precondition {
  return gate as unknown as Precondition;
}

export function defineOperator(operator: DefinedOperator): DefinedOperator {
  return operator;
}

/** @throws when it has no name, since `state:` alone names nothing */
export function defineStateRef(ref: StateRef): StateRef {
  if (typeof ref.name === 'string' && ref.name.trim() !== '') return ref;
  const given = JSON.stringify(ref.name) ?? 'nothing';
  throw new TypeError(`A state ref has ${given} as its name. Give it one that assertions can read: "cart" for "state:cart".`);
}
