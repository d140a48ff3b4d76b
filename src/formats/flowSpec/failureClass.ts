// The five ways a flow-spec run fails, what each asks of whoever looks after the monitor, and its row in the failure table.
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

/** Codes by which a run ends, or is refused, that are not those of a step itself. */
const otherCodes: Readonly<Record<string, FailureClass>> = {
  'inputs.missing_secret': 'credential_rejected',
  // What cannot be kept secret cannot be supplied. A secret that the document itself holds is a fault of the document.
  'inputs.weak_secret': 'credential_rejected',
  'flow_spec.unknown_variable': 'credential_rejected',
  'action.timed_out': 'spec_step_unresolvable',
};

export function findFailureClass(code: string): FailureClass | undefined {
  const own = code.replace(/^flow_spec\./, '');
  return Object.hasOwn(failureClasses, own) ? (own as FailureClass) : otherCodes[code];
}

/** Nothing else is wrong: what the document refers to cannot be supplied, and that is a failure of its run rather than of the document. */
export function isCredentialRejection(findings: readonly Finding[]): boolean {
  const errors = findings.filter(({ severity }) => severity === 'error');
  return errors.length > 0 && errors.every(({ code }) => findFailureClass(code) === 'credential_rejected');
}

// A step that failed, by the class of its failure.

export function createFlowError(name: FailureClass, message: string, cause?: unknown): RecipeError {
  const { kind } = failureClasses[name];
  return new RecipeError(`flow_spec.${name}`, kind, message, undefined, cause === undefined ? {} : { cause });
}

/** What the page refused is a step that could not be resolved; trouble of the machine or of ours has no class. */
export function toFlowError(thrown: unknown): RecipeError {
  const error = toRecipeError(thrown);
  if (findFailureClass(error.code) !== undefined || error.kind !== 'action') return error;
  return createFlowError('spec_step_unresolvable', error.message, error);
}

/** The same failure, of another class. */
export function reclassifyError(name: FailureClass, error: RecipeError, words: string): RecipeError {
  return createFlowError(name, `${words}\n${error.message}`, error);
}
