// A run that does not begin: its findings, and the documents that its package contains.
import type { LoadedRecipe } from '../../check/loadRecipe.js';
import type { Finding } from '../../document/finding.js';
import { printFinding } from '../../document/printFinding.js';
import { type FailureClass, isCredentialRejection } from '../../formats/flowSpec/failureClass.js';
import { type Capabilities, SetupError } from '../../registry/capabilities.js';
import { collectRefusalDocuments } from '../../run/collectDocuments.js';
import { ConfigError } from '../../run/project/projectConfig.js';

export type RefusedRun = {
  findings: Finding[];
  text: string;
  /** Whether the cause is the environment, not the recipe. */
  environment: boolean;
  rejection?: Rejection;
  rejectedRecipe?: IdentifiedRecipe;
};

/** Why a recipe was rejected whose format has failure classes. `documents`: the documents of the package, by name. */
export type Rejection = { failureClass: FailureClass; documents: ReadonlyMap<string, string> };

/** The recipe that would have run. */
export type IdentifiedRecipe = { id: string; loaded: LoadedRecipe };

type RejectionContext = { id: string; capabilities: Capabilities; findings: Finding[] };

/** Refuses a recipe whose secrets or variables are missing, or must not be shown. `findings` include those of the secrets. */
export function createRefusedRun(loaded: LoadedRecipe, { text, ...context }: RejectionContext & { text: string }): RefusedRun {
  const { findings } = context;
  const rejection = findRejection(loaded, context);
  const isMissing = findings.some(({ code }) => code === 'inputs.missing_secret');
  return { findings, text, environment: isMissing || rejection.rejection !== undefined, ...rejection };
}

/** Returns an empty object if the findings have no failure class. */
function findRejection(
  loaded: LoadedRecipe,
  { id, capabilities, findings }: RejectionContext,
): Pick<RefusedRun, 'rejection' | 'rejectedRecipe'> {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const documents = isCredentialRejection(errors)
    ? collectRefusalDocuments(loaded, capabilities.registry, errors)
    : new Map<string, string>();
  return documents.size === 0
    ? {}
    : { rejection: { failureClass: 'credential_rejected', documents }, rejectedRecipe: { id, loaded } };
}

export function refuseInvalidSetup(file: string): (thrown: unknown) => RefusedRun {
  return (thrown) => {
    if (!(thrown instanceof ConfigError || thrown instanceof SetupError)) throw thrown;
    return { findings: [createFileFinding(file, 'run.invalid_config', thrown.message)], text: '', environment: false };
  };
}

export function createFileFinding(file: string, code: string, message: string, hint?: string): Finding {
  const place = { file, line: 1, column: 1 };
  return { code, severity: 'error', path: '', place, message, ...(hint === undefined ? {} : { hint }) };
}

/** Shows the line of the recipe text only for findings about the document itself. */
export function printRunFinding(finding: Finding, text: string): string {
  const isOfDocument = text !== '' && !finding.code.startsWith('run.');
  return printFinding(finding, isOfDocument ? text : undefined);
}
