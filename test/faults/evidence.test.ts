// Evidence that was changed, cut, mixed up or made up is found; evidence that is huge is still written.
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
/** Everything but our mark of ownership, which says nothing about the run. */
const filesOf = (dir: string): string[] => filesBelow(dir).filter((name) => name !== '.recipewright');

type Change = { kind: 'flip' | 'delete' | 'add' | 'swap' | 'cut' | 'grow'; a: number; b: number; bit: number };

const changes: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('flip', 'delete', 'add', 'swap', 'cut', 'grow'),
  a: fc.nat(),
  b: fc.nat(),
  bit: fc.nat({ max: 7 }),
});

/** Makes one change; false when it would change nothing. */
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

describe('a package', () => {
  test('F33 does not verify after any one flip, delete, add, swap, cut or growth', { timeout }, async () => {
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

  test('F35 names every listed artifact that is missing', async () => {
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

  test('F57 is not taken for that of another recipe, commit, run or version', async () => {
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

  test('F57 says which version wrote it when that is another one, and which commit it is of', async () => {
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

test('the digest in the summary pins every other file', async () => {
  const { dir } = await richPackage();
  const { package: pinned } = jsonIn(dir, 'summary.json');
  const { artifacts } = jsonIn(dir, 'artifact-manifest.json') as { artifacts: { path: string; sha256: string; size: number }[] };
  const others = artifacts.filter(({ path }) => path !== 'summary.json');
  const canonical = others.map(
    ({ path, sha256: digest, size }) => `{"path":${JSON.stringify(path)},"sha256":"${digest}","size":${size}}`,
  );
  expect(pinned).toEqual({ digest: `sha256:${sha256(`[${canonical.join(',')}]`)}`, files: others.length });
  expect(others.every(({ path }) => existsSync(join(dir, path)))).toBe(true);
});
