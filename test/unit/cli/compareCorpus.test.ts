// recipewright compare on packages of another runner names exactly what a planted regression changed.
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compareAnswer } from '../../../src/cli/compare.js';
import { readPackage } from '../../../src/evidence/readPackage.js';
import { directory, jsonIn, write } from '../evidence/packages.js';

const corpus = fileURLToPath(new URL('../../../../shared/corpus/recipe-v1/packages/', import.meta.url));
const names = ['documentation-onboarding', 'provenance-smoke', '727-recipe-run', '304-command-center-local'];
describe.skipIf(!existsSync(corpus))('compare on the corpus (skipped without ../shared/corpus)', () => {
  test.for(names)('compare finds no change between %s and itself', (name) => {
    const { exitCode, text } = compareAnswer([join(corpus, name), join(corpus, name)], {});
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^No claim changed/);
  });

  test('compare lists the nodes and claims of two different packages separately, none of them proven', () => {
    const { exitCode, document } = compareAnswer([join(corpus, '727-recipe-run'), join(corpus, 'documentation-onboarding')], {});
    expect(exitCode).toBe(0);
    const ids = (name: string) => [...new Set(readPackage(join(corpus, name)).trace?.map(({ nodeId, id }) => nodeId ?? id))];
    const shared = ids('727-recipe-run').filter((id) => ids('documentation-onboarding').includes(id));
    expect(document.runs).toMatchObject([
      {
        claims: own.map((id) => ({ id, after: 'unproven', change: 'added' })),
        trace: {
          onlyBefore: ids('727-recipe-run').filter((id) => !shared.includes(id)),
          onlyAfter: ids('documentation-onboarding').filter((id) => !shared.includes(id)),
        },
      },
    ]);
  });

  /** Copies a package and makes one of its nodes fail. Writes only what the other runner would write. */
  function failing(name: string, nodeId: string): string {
    const dir = directory();
    cpSync(join(corpus, name), dir, { recursive: true });
    const trace = (jsonIn(dir, 'trace.json') as Record<string, unknown>[]).map((entry) =>
      (entry.nodeId ?? entry.id) === nodeId ? { ...entry, ok: false, error: 'It is not there.' } : entry,
    );
    write(dir, 'trace.json', trace);
    write(dir, 'summary.json', { ...jsonIn(dir, 'summary.json'), status: 'fail', failed: 1 });
    return dir;
  }

  test('compare names exactly the claims that break with their node', () => {
    const after = failing('documentation-onboarding', 'index-artifacts');
    const { exitCode, text } = compareAnswer([join(corpus, 'documentation-onboarding'), after], {});
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^Worse: 2 of 5 claims got worse\n/);
    expect(text.match(/^ {2}(worse|removed|better|added): .*/gm)).toEqual([
      '  worse: PT-4, unproven → refuted: Machine-readable report',
      '  worse: PT-5, unproven → refuted: Execution log',
    ]);
    expect(text).toContain('  index-artifacts: passed → failed\n');
  });

  test('compare names exactly the claim whose evidence is missing', () => {
    const after = directory();
    cpSync(join(corpus, 'documentation-onboarding'), after, { recursive: true });
    const { artifacts, ...manifest } = jsonIn(after, 'artifact-manifest.json');
    const otherArtifacts = artifacts.filter(({ proofTarget }: { proofTarget?: string }) => proofTarget !== 'PT-2');
    write(after, 'artifact-manifest.json', { ...manifest, artifacts: otherArtifacts });
    const { document } = compareAnswer([join(corpus, 'documentation-onboarding'), after], {});
    expect(document.runs.flatMap((run) => run.claims).filter(({ change }) => change !== 'same')).toEqual([
      { id: 'PT-2', claim: 'Execution trace', before: 'unproven', change: 'removed' },
    ]);
  });

  test('a failed run without claims counts as worse, and compare names no claim', () => {
    const after = failing('727-recipe-run', 'surface-missing-ok');
    const { exitCode, text, document } = compareAnswer([join(corpus, '727-recipe-run'), after], {});
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^Worse: a run that passed no longer passes\n/);
    expect(document.runs).toMatchObject([{ claims: [], trace: { results: [{ nodeId: 'surface-missing-ok' }] } }]);
  });

  const own = ['PT-1', 'PT-2', 'PT-3', 'PT-4', 'PT-5'];
  const proof = (verdicts: Record<string, string>) =>
    Object.entries(verdicts).map(([id, status]) => ({ id, claim: `The claim ${id} holds.`, status }));

  /** Copies the corpus as one suite, and adds verdicts on claims, which its runner does not write. */
  function suite(verdicts: Record<string, Record<string, string>>): string {
    const dir = directory();
    for (const name of names) {
      cpSync(join(corpus, name), join(dir, name), { recursive: true });
      const { status, ...rest } = jsonIn(join(dir, name), 'summary.json');
      const claimed = proof(verdicts[name] ?? {});
      const isRed = claimed.some((claim) => claim.status !== 'proven');
      write(join(dir, name), 'summary.json', { ...rest, status: isRed ? 'fail' : status, proof: claimed });
    }
    write(dir, 'suite.json', { resolutions: names.map((id) => ({ id, kind: 'verdict' })) });
    return dir;
  }

  test('compare names exactly the claims that a planted regression changes, package by package', () => {
    const all = { A: 'proven', B: 'proven', C: 'proven' };
    const base = Object.fromEntries(names.map((name) => [name, all]));
    const change = {
      ...base,
      'provenance-smoke': { A: 'proven', B: 'refuted', C: 'proven' },
      '727-recipe-run': { A: 'unproven', B: 'proven', C: 'proven' },
      '304-command-center-local': { A: 'proven', B: 'proven' },
    };
    const { exitCode, document, text } = compareAnswer([suite(base), suite(change)], {});
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^Worse: 3 of 12 claims got worse\n/);
    const changedClaims = document.runs.flatMap(({ name, claims: own }) =>
      own.filter((claim) => claim.change !== 'same').map((claim) => [name, claim.id, claim.before, claim.after]),
    );
    expect(changedClaims).toEqual([
      ['provenance-smoke', 'B', 'proven', 'refuted'],
      ['727-recipe-run', 'A', 'proven', 'unproven'],
      ['304-command-center-local', 'C', 'proven', undefined],
    ]);
    expect(text.match(/^ {2}(worse|removed|better|added): \w+/gm)).toEqual(['  worse: B', '  worse: A', '  removed: C']);
    expect(document.runs.filter(({ isWorse }) => isWorse).map(({ name }) => name)).toEqual(changedClaims.map(([name]) => name));
  });
});
