// The five failure classes of a flow-spec run, with their alerts, and errors that have such a class.
import type { Finding } from '../../document/finding.js';
import { type FailureKind, RecipeError, toRecipeError } from '../../evidence/recipeError.js';

export type FailureClass =
  | 'credential_rejected'
  | 'spec_step_unresolvable'
  | 'agent_uncertain'
  | 'assertion_failed'
  | 'quota_exceeded';

type Alert = 'ask_user' | 're_review' | 'retry_later' | 'alert' | 'pause';

type FailureClassRow = { kind: FailureKind; alert: Alert; todo: string };

export const failureClasses: Readonly<Record<FailureClass, FailureClassRow>> = {
  credential_rejected: { kind: 'precondition', alert: 'ask_user', todo: 'Ask the user for credentials that work; never alert.' },
  spec_step_unresolvable: { kind: 'action', alert: 're_review', todo: 'Review the step of the spec again; no alert.' },
  agent_uncertain: { kind: 'environment', alert: 'retry_later', todo: 'Retry later; no alert.' },
  assertion_failed: { kind: 'assertion', alert: 'alert', todo: 'The site verifiably misbehaved: alert.' },
  quota_exceeded: { kind: 'environment', alert: 'pause', todo: 'Pause the monitor and tell a person; no alert.' },
};

/** Error codes from outside the steps that also have a failure class. */
const otherCodes: Readonly<Record<string, FailureClass>> = {
  'inputs.missing_secret': 'credential_rejected',
  // A secret that is too weak to be masked is not used.
  'inputs.weak_secret': 'credential_rejected',
  'flow_spec.unknown_variable': 'credential_rejected',
  'action.timed_out': 'spec_step_unresolvable',
};

export function findFailureClass(code: string): FailureClass | undefined {
  const name = code.replace(/^flow_spec\./, '');
  return Object.hasOwn(failureClasses, name) ? (name as FailureClass) : otherCodes[code];
}

/** Whether missing credentials are the only errors. Then the document is valid, but the run fails. */
export function isCredentialRejection(findings: readonly Finding[]): boolean {
  const errors = findings.filter(({ severity }) => severity === 'error');
  return errors.length > 0 && errors.every(({ code }) => findFailureClass(code) === 'credential_rejected');
}

export function createFlowError(name: FailureClass, message: string, cause?: unknown): RecipeError {
  const { kind } = failureClasses[name];
  return new RecipeError(`flow_spec.${name}`, kind, message, undefined, cause === undefined ? {} : { cause });
}

/** Converts errors of an action to `spec_step_unresolvable`. Errors of the environment or of recipewright keep their code. */
export function toFlowError(thrown: unknown): RecipeError {
  const error = toRecipeError(thrown);
  if (findFailureClass(error.code) !== undefined || error.kind !== 'action') return error;
  return createFlowError('spec_step_unresolvable', error.message, error);
}

/** Changes the failure class of an error. `reason` becomes the first line of the message. */
export function reclassifyError(name: FailureClass, error: RecipeError, reason: string): RecipeError {
  return createFlowError(name, `${reason}\n${error.message}`, error);
}
