// Whether a suite is what its run left behind, and what all of its recipes together prove.
import { type Finding, hasErrors } from '../document/finding.js';
import type { Status } from '../recipe/recipe.js';
import { checkSuite, type SuiteCheck, suiteFinding } from './checkSuite.js';
import { type Verification, type VerifyOptions, verifyPackage } from './verifyPackage.js';

export type SuiteVerification = Pick<Verification, 'status' | 'verdict' | 'reason' | 'findings'> & {
  packages: (Verification & { name: string })[];
  notExecuted: SuiteCheck['notExecuted'];
};

/** Undefined for a directory that is no suite. */
export function verifySuite(dir: string, options: VerifyOptions = {}): SuiteVerification | undefined {
  const suite = checkSuite(dir);
  if (!suite) return undefined;
  const listed = suite.packages.filter(({ finding }) => finding?.code !== 'suite.missing_package');
  const packages = listed.map(({ name, dir: place, finding }) => ({
    name,
    ...verifyPackage(place, options),
    ...(finding ? refusedFor(finding) : {}),
  }));
  const findings = [
    ...(suite.isPinned ? [] : [notPinned(dir)]),
    ...suite.findings,
    ...suite.packages.flatMap(({ finding }) => finding ?? []),
    ...suite.unlisted.map(({ finding }) => finding),
    ...packages.flatMap((one) => one.findings),
  ];
  return { ...judged(suite, packages, findings), findings, packages, notExecuted: suite.notExecuted };
}

/** It may be intact, but it is not the package of its suite. */
export function refusedFor({ message }: Finding): Pick<Verification, 'status' | 'verdict' | 'reason' | 'proof'> {
  return { status: 'invalid', verdict: 'unknown', reason: message, proof: [] };
}

function notPinned(dir: string): Finding {
  const message = 'suite.json has no "scope_digest": it is not an index of recipewright, and nothing pins the packages.';
  return suiteFinding(dir, 'suite.not_pinned', message, 'Verify the packages one by one.');
}

type Judged = Pick<SuiteVerification, 'status' | 'verdict' | 'reason'>;

function judged(suite: SuiteCheck, packages: readonly Verification[], findings: readonly Finding[]): Judged {
  const { isRunning, notExecuted, problems } = suite;
  const first = findings.find(({ severity }) => severity === 'error');
  if (hasErrors(findings))
    return { status: 'invalid', verdict: 'unknown', reason: `the evidence does not hold: ${first?.message}` };
  if (isRunning)
    return { status: 'incomplete', verdict: 'unknown', reason: 'the run has begun and has not ended, or was killed' };
  const of = (verdict: Status): number => packages.filter((one) => one.verdict === verdict).length;
  const left = (outcome: string): number => notExecuted.filter((one) => one.outcome === outcome).length;
  const counts = {
    failed: of('fail'),
    unknown: of('unknown') + notExecuted.length - left('skipped') - left('not_run'),
    skipped: left('skipped'),
    'not run': left('not_run'),
  };
  const rest = Object.entries(counts).flatMap(([word, count]) => (count > 0 ? [`, ${count} ${word}`] : []));
  const [problem] = problems;
  const but = problem === undefined ? '' : `, but ${problem}`;
  const reason = `${of('pass')} of ${packages.length + notExecuted.length} recipes passed${rest.join('')}${but}`;
  const status = packages.some((one) => one.status === 'incomplete') ? 'incomplete' : 'verified';
  if (counts.failed > 0) return { status, verdict: 'fail', reason };
  const isOpen = counts.unknown + counts['not run'] + problems.length > 0;
  return { status, verdict: of('pass') > 0 && !isOpen ? 'pass' : 'unknown', reason };
}
