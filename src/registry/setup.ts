// The setup module of a project: its actions, preconditions, operators and state refs. All hosts use the same module.

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
  /** Handlers for the nodes of runtime recipes, by name. */
  agents?: readonly Agent[];
  logic?: readonly Logic[];
  routers?: readonly Router[];
  /** For flow-specs: finds a target on a page when its description alone does not. */
  targetResolver?: TargetResolver;
};

/** The context of a precondition check or a state ref. It has only the fixtures that the check needs. */
export type CheckContext = {
  fixtures: Readonly<Record<string, unknown>>;
  projectRoot: string;
  inputs: Readonly<Record<string, unknown>>;
  signal: AbortSignal;
};

/** The cause when a precondition does not hold. With `product` and `assertion`, the app under test is at fault. */
export type GateFailure = 'setup' | 'environment' | 'fixture' | 'product' | 'assertion' | 'unknown';

export type GateAnswer = boolean | { ok: boolean; output?: unknown; error?: string };

/** A named condition that is checked before the first node of a recipe runs. */
export type Precondition<S extends z.ZodType = z.ZodType> = {
  id: string;
  description: string;
  failureKind?: GateFailure;
  /** The model of the `params` that a recipe passes. */
  params?: S;
  needs?: readonly string[];
  timeoutMs?: number;
  check(params: z.output<S>, context: CheckContext): GateAnswer | Promise<GateAnswer>;
};

/** An assertion operator of the project. Its name has a namespace: `shop.is_price`. */
export type DefinedOperator = CustomOperator & { name: string; description: string };

/** A value of the running app that assertions read as `source: "state:<name>"`. */
export type StateRef = {
  name: string;
  description: string;
  needs?: readonly string[];
  read(context: CheckContext): unknown;
};

export function defineSetup(setup: Setup): Setup {
  return setup;
}

export function definePrecondition<S extends z.ZodType = z.ZodType<Record<string, unknown>>>(
  precondition: Precondition<S>,
): Precondition {
  return precondition as unknown as Precondition;
}

export function defineOperator(operator: DefinedOperator): DefinedOperator {
  return operator;
}

/** @throws TypeError when the state ref has no name, since no assertion could read it */
export function defineStateRef(ref: StateRef): StateRef {
  if (typeof ref.name === 'string' && ref.name.trim() !== '') return ref;
  const name = JSON.stringify(ref.name) ?? 'undefined';
  throw new TypeError(
    `The name of a state ref is ${name}. Give the state ref a name, such as "cart" for the source "state:cart".`,
  );
}
