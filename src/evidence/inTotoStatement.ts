// Creates an unsigned in-toto statement about the manifest of a package. A signature of the statement proves who made the files, not
// that the files are true.

import type { Proof } from './verdict.js';

export type Statement = {
  _type: 'https://in-toto.io/Statement/v1';
  subject: { name: string; digest: { sha256: string } }[];
  predicateType: 'https://in-toto.io/attestation/test-result/v0.1';
  predicate: {
    result: 'PASSED' | 'WARNED' | 'FAILED';
    configuration: { name: string; digest: { sha256: string } }[];
    passedTests: string[];
    warnedTests: string[];
    failedTests: string[];
  };
};

export type StatementFacts = { verdict: string; proof: readonly Proof[]; manifest: string; recipe: string | undefined };

/** `manifest` and `recipe` are the SHA-256 of those files. Only a pass gives PASSED. The verdict unknown gives FAILED, not WARNED. */
export function createStatement({ verdict, proof, manifest, recipe }: StatementFacts): Statement {
  const claimsWith = (...kinds: readonly string[]): string[] =>
    proof.filter(({ status }) => kinds.includes(status)).map(({ id, claim }) => `${id}: ${claim}`);
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'artifact-manifest.json', digest: { sha256: manifest } }],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: verdict === 'pass' ? 'PASSED' : 'FAILED',
      configuration: recipe === undefined ? [] : [{ name: 'recipe.json', digest: { sha256: recipe } }],
      passedTests: claimsWith('proven'),
      warnedTests: claimsWith('unproven', 'blocked'),
      failedTests: claimsWith('refuted'),
    },
  };
}
