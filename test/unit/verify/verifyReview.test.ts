// review.html is evidence like the other files: it must follow from the recipe and the journal.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../src/evidence/digest.js';
import { writePackage } from '../../../src/evidence/writePackage.js';
import { openReview } from '../../../src/pages/review/reviewPage.js';
import { verifyPackage } from '../../../src/verify/verifyPackage.js';
import { directory, formatFindings, jsonIn } from '../evidence/packages.js';
import { richPackage, richRecipe } from '../evidence/richPackage.js';
import { chainLines, linesIn, updateDigests } from './forgery.js';

const pageIn = (dir: string): string => readFileSync(join(dir, 'review.html'), 'utf8');

/** Changes the page, and every digest that depends on it. */
function forge(dir: string, change: (page: string) => string): void {
  writeFileSync(join(dir, 'review.html'), change(pageIn(dir)));
  updateAllDigests(dir);
}

function updateAllDigests(dir: string): void {
  updateDigests(dir);
  const { artifacts } = jsonIn(dir, 'artifact-manifest.json') as { artifacts: { path: string; sha256: string; size: number }[] };
  const files = artifacts.filter(({ path }) => path !== 'summary.json');
  const digest = digestOf(files.map(({ path, sha256, size }) => ({ path, sha256, size })));
  writeJson(dir, 'summary.json', { ...jsonIn(dir, 'summary.json'), package: { digest, files: files.length } });
  updateDigests(dir);
  writeJson(dir, 'artifact-manifest.json', jsonIn(dir, 'artifact-manifest.json'));
}

function writeJson(dir: string, name: string, value: unknown): void {
  writeFileSync(join(dir, name), `${JSON.stringify(value, null, 2)}\n`);
}

function writeForVersion(version: string): string {
  const dir = directory();
  const source = lines();
  const journal = chainLines(
    source.map((line) => (line.t === 'run' ? { ...line, tool: { name: 'recipewright', version } } : line)),
  );
  const findArtifact = (path: string): Uint8Array => readFileSync(join(sourceDir, path));
  writePackage(dir, { id: 'a', recipe: richRecipe, journal, findArtifact, review: openReview });
  return dir;
}

let sourceDir = '';
const lines = (): ReturnType<typeof linesIn> => linesIn(sourceDir);

describe('the page of a package', () => {
  test('review.html is listed with its digest, and has the verdict and every claim', async () => {
    const { dir } = await richPackage();
    expect(pageIn(dir)).toMatch(/<title>Pass: A rich recipe<\/title>/);
    expect(pageIn(dir)).toContain('The notes are kept.');
    const { artifacts } = jsonIn(dir, 'artifact-manifest.json');
    expect(artifacts).toContainEqual(expect.objectContaining({ path: 'review.html', type: 'report', category: 'system' }));
    expect(verifyPackage(dir)).toMatchObject({ status: 'verified', findings: [] });
  });

  test('a review.html that contradicts the run does not verify, even with matching digests', async () => {
    const { dir } = await richPackage();
    updateAllDigests(dir);
    expect(verifyPackage(dir).status).toBe('verified');
    forge(dir, (page) => page.replace('The notes are kept.', 'The notes are safe.'));
    const { status, findings } = verifyPackage(dir);
    expect(status).toBe('invalid');
    expect(formatFindings(findings)).toContain('error package.altered_file');
    expect(findings.map(({ place }) => place.file)).toContain(join(dir, 'review.html'));
  });

  test('a package without review.html verifies', async () => {
    ({ dir: sourceDir } = await richPackage());
    const dir = directory();
    const findArtifact = (path: string): Uint8Array => readFileSync(join(sourceDir, path));
    writePackage(dir, { id: 'a', recipe: richRecipe, journal: chainLines(lines()), findArtifact });
    expect(verifyPackage(dir)).toMatchObject({ status: 'verified', findings: [] });
    rmSync(join(sourceDir, 'review.html'));
    expect(formatFindings(verifyPackage(sourceDir).findings)).toEqual(['error artifact_manifest.missing_file /artifacts/5/path']);
  });

  test('the review.html of another version is checked by its digest only, with a warning', async () => {
    ({ dir: sourceDir } = await richPackage());
    const dir = writeForVersion('0.0.1');
    forge(dir, (page) => page.replace('</main>', '<p>drawn in another way</p></main>'));
    const { status, findings } = verifyPackage(dir);
    expect([status, formatFindings(findings)]).toEqual(['verified', ['warning package.other_version /tool/version']]);
    expect(findings[0]?.message).toContain('checks review.html by its digest only');
    writeFileSync(join(dir, 'review.html'), 'changed later');
    expect(verifyPackage(dir).status).toBe('invalid');
  });
});
