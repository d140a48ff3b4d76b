// Verification detects packages that were changed, truncated, mixed up or forged.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/system/files/files.js';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { runCount, timeoutMs } from '../property/runCount.js';
import { filesBelow } from '../support/packages.js';
import { directory, jsonIn } from '../unit/evidence/packages.js';
import { richPackage, richRecipe, runIn } from '../unit/evidence/richPackage.js';
import { chainLines, linesIn } from '../unit/verify/forgery.js';

const timeout = timeoutMs;
/** All files except .recipewright, which marks the directory as ours and has no evidence. */
const filesOf = (dir: string): string[] => filesBelow(dir).filter((name) => name !== '.recipewright');

type Change = { kind: 'flip' | 'delete' | 'add' | 'swap' | 'cut' | 'grow'; a: number; b: number; bit: number };

const changes: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('flip', 'delete', 'add', 'swap', 'cut', 'grow'),
  a: fc.nat(),
  b: fc.nat(),
  bit: fc.nat({ max: 7 }),
});

/** Makes one change, or returns false when the change would have no effect. */
function apply(dir: string, { kind, a, b, bit }: Change): boolean {
  const files = filesOf(dir);
  const name = files[a % files.length] ?? '';
  const file = join(dir, name);
  const bytes = readFileSync(file);
  if (kind === 'delete') rmSync(file);
  else if (kind === 'cut') truncateSync(file, b % bytes.length);
  else if (kind === 'grow') writeFileSync(file, Buffer.concat([bytes, Buffer.from(b % 2 ? ' ' : '\n')]));
  else if (kind === 'add') writeFileSync(join(dir, dirname(name), `${b}.txt`), bytes);
  else if (kind === 'flip') {
    const at = b % bytes.length;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
    writeFileSync(file, bytes);
  } else {
    const other = join(dir, files[b % files.length] ?? '');
    const others = readFileSync(other);
    if (others.equals(bytes)) return false;
    writeFileSync(file, others);
    writeFileSync(other, bytes);
  }
  return true;
}

describe('the verification of a package', () => {
  test('F33 a package does not verify after one flipped bit or one deleted, added, swapped, cut or grown file', {
    timeout,
  }, async () => {
    const { dir } = await richPackage();
    const changed = join(directory(), 'out');
    const property = fc.property(changes, (change) => {
      rmSync(changed, { recursive: true, force: true });
      cpSync(dir, changed, { recursive: true });
      fc.pre(apply(changed, change));
      const { status, verdict, findings } = verifyPackage(changed);
      expect({ status, verdict }).toEqual({ status: 'invalid', verdict: 'unknown' });
      expect(findings.length).toBeGreaterThan(0);
    });
    fc.assert(property, runCount(150));
    expect(verifyPackage(dir).status).toBe('verified');
  });

  test('F35 verification names every missing file that the manifest lists', async () => {
    const { dir } = await richPackage();
    const { artifacts } = jsonIn(dir, 'artifact-manifest.json') as { artifacts: { path: string }[] };
    expect(artifacts.map(({ path }) => path)).toEqual(expect.arrayContaining(['notes.log', 'shots/a.json', 'trace.json']));
    for (const [index, { path }] of artifacts.entries()) {
      const less = join(directory(), 'out');
      cpSync(dir, less, { recursive: true });
      rmSync(join(less, path));
      const { status, findings } = verifyPackage(less);
      expect([path, status]).toEqual([path, 'invalid']);
      const missing = findings.find(({ code }) => code === 'artifact_manifest.missing_file');
      expect(missing).toMatchObject({ path: `/artifacts/${index}/path`, message: expect.stringContaining(JSON.stringify(path)) });
    }
  });

  test('F57 verification detects a package of another recipe, commit or run', async () => {
    const { dir, project } = await richPackage();
    const recipe = join(project, 'a.recipe.json');
    expect(verifyPackage(dir, { recipe, projectRoot: project })).toMatchObject({ status: 'verified', findings: [] });
    const elsewhere = directory();
    const put = (name: string, content: unknown): string => {
      mkdirSync(dirname(join(elsewhere, name)), { recursive: true });
      writeFileSync(join(elsewhere, name), JSON.stringify(content));
      return join(elsewhere, name);
    };
    const codes = (options: object): string[] => verifyPackage(dir, options).findings.map(({ code }) => code);
    const edited = put('a.recipe.json', { ...richRecipe, title: 'A rich recipe, edited' });
    expect(codes({ recipe: edited, projectRoot: elsewhere })).toEqual(['package.other_recipe']);
    const twin = put('b/a.recipe.json', richRecipe);
    expect(codes({ recipe: twin, projectRoot: elsewhere })).toEqual(['package.other_recipe']);
    expect(codes({ gitRef: '0123456789abcdef' })).toEqual(['package.other_commit']);
    const other = await runIn(directory());
    cpSync(join(dir, 'summary.json'), join(other, 'summary.json'));
    expect(verifyPackage(other).findings.map(({ code }) => code)).toEqual(['package.digest_mismatch']);
  });

  test('F57 verification warns about another version and compares the commit of the package', async () => {
    const { dir } = await richPackage();
    const [opening, ...lines] = linesIn(dir);
    const tool = { name: 'recipewright', version: '99.0.0' };
    const journal = chainLines([{ path: '', ...opening, tool, git_ref: '0123456789abcdef', git_dirty: false }, ...lines]);
    const older = join(directory(), 'out');
    const { writePackage } = await import('../../src/evidence/writePackage.js');
    writePackage(older, { id: 'a', recipe: richRecipe, journal, findArtifact: (path) => readFileSync(join(dir, path)) });
    expect(jsonIn(older, 'summary.json')).toMatchObject({ git_ref: '0123456789abcdef', harness: tool });
    const verification = verifyPackage(older, { gitRef: '0123456' });
    expect(verification).toMatchObject({
      status: 'verified',
      findings: [{ code: 'package.other_version', severity: 'warning' }],
    });
    expect(verifyPackage(older, { gitRef: '012345' }).status).toBe('invalid');
  });
});

test('the digest in the summary covers every other file of the package', async () => {
  const { dir } = await richPackage();
  const { package: digest } = jsonIn(dir, 'summary.json');
  const { artifacts } = jsonIn(dir, 'artifact-manifest.json') as { artifacts: { path: string; sha256: string; size: number }[] };
  const others = artifacts.filter(({ path }) => path !== 'summary.json');
  const canonical = others.map(
    ({ path, sha256: fileDigest, size }) => `{"path":${JSON.stringify(path)},"sha256":"${fileDigest}","size":${size}}`,
  );
  expect(digest).toEqual({ digest: `sha256:${sha256(`[${canonical.join(',')}]`)}`, files: others.length });
  expect(others.every(({ path }) => existsSync(join(dir, path)))).toBe(true);
});
