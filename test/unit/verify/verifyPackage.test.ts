// A package with any change does not verify.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { writePackage } from '../../../src/evidence/writePackage.js';
import { sha256 } from '../../../src/system/files/files.js';
import { verifyPackage } from '../../../src/verify/verifyPackage.js';
import { directory, formatFindings, jsonIn, write } from '../evidence/packages.js';
import { richPackage, richRecipe, runIn } from '../evidence/richPackage.js';
import { updateDigests } from './forgery.js';

const findingsOf = (dir: string): string[] =>
  formatFindings(verifyPackage(dir).findings).map((line) => line.replace(/^error /, ''));

describe('a package', () => {
  test('the package of a run verifies, with its verdict and its claims', async () => {
    const { dir } = await richPackage();
    const verification = verifyPackage(dir);
    expect(verification.findings).toEqual([]);
    expect(verification).toMatchObject({ status: 'verified', verdict: 'pass', reason: '1 of 1 claims proven' });
    expect(verification.proof).toMatchObject([{ id: 'AC1', status: 'proven', held: 2, artifacts: 1 }]);
  });

  test.for<[what: string, change: (dir: string) => unknown, codes: string[]]>([
    ['a changed artifact', (dir) => writeFileSync(join(dir, 'notes.log'), 'other'), ['package.digest_mismatch']],
    ['an additional file', (dir) => writeFileSync(join(dir, 'shots/b.json'), '{}'), ['package.unlisted_file']],
    ['an additional directory', (dir) => mkdirSync(join(dir, 'more')), ['package.unlisted_file']],
    ['a pipe', (dir) => execFileSync('mkfifo', [join(dir, 'pipe')]), ['package.unlisted_file']],
    [
      'no journal',
      (dir) => rmSync(join(dir, 'journal.jsonl')),
      ['artifact_manifest.missing_file /artifacts/3/path', 'package.no_journal'],
    ],
    ['no manifest', (dir) => rmSync(join(dir, 'artifact-manifest.json')), ['artifact_package.missing_manifest']],
    ['a changed label', (dir) => write(dir, 'artifact-manifest.json', changeLabel(dir)), ['package.altered_file']],
    ['a manifest without digests', (dir) => write(dir, 'artifact-manifest.json', removeDigests(dir)), ['package.no_digest']],
    [
      'a journal without its last line break',
      (dir) => writeFileSync(join(dir, 'journal.jsonl'), readFileSync(join(dir, 'journal.jsonl'), 'utf8').trimEnd()),
      ['package.digest_mismatch'],
    ],
  ])('a package with %s does not verify', async ([, change, codes]) => {
    const { dir } = await richPackage();
    change(dir);
    const { status, verdict, reason, findings } = verifyPackage(dir);
    expect({ status, verdict }).toEqual({ status: 'invalid', verdict: 'unknown' });
    expect(reason).toMatch(/^the evidence does not hold: \S/);
    expect([...new Set(formatFindings(findings))]).toEqual(codes.map((code) => `error ${code}`));
    for (const { message, hint, place } of findings) {
      expect([message, hint]).toEqual([expect.stringMatching(/^\S.*\.$/), expect.stringMatching(/^[A-Z].*[.?]$/)]);
      expect(place.file.startsWith(dir)).toBe(true);
    }
  });

  test('a package with a link instead of a file does not verify, even if the link leads to the same bytes', async () => {
    const { dir } = await richPackage();
    cpSync(join(dir, 'notes.log'), join(dir, '../notes.log'));
    rmSync(join(dir, 'notes.log'));
    symlinkSync('../notes.log', join(dir, 'notes.log'));
    expect(findingsOf(dir)).toEqual([expect.stringContaining('artifact_manifest.unsafe_path'), 'package.link']);
  });

  test('a package with a file of another run does not verify', async () => {
    const { dir } = await richPackage();
    const other = await runIn(directory());
    for (const name of ['summary.json', 'trace.json', 'journal.jsonl']) {
      const mixed = join(directory(), 'out');
      cpSync(dir, mixed, { recursive: true });
      cpSync(join(other, name), join(mixed, name));
      expect(findingsOf(mixed)).toContain('package.digest_mismatch');
      updateDigests(mixed);
      expect(findingsOf(mixed)).toEqual(expect.arrayContaining(['package.altered_file']));
    }
  });
});

const changeLabel = (dir: string): unknown => {
  const manifest = jsonIn(dir, 'artifact-manifest.json');
  manifest.artifacts[5].label = 'Something else';
  return manifest;
};
const removeDigests = (dir: string): unknown => {
  const manifest = jsonIn(dir, 'artifact-manifest.json');
  return { ...manifest, artifacts: manifest.artifacts.map(({ path, type }: { path: string; type: string }) => ({ path, type })) };
};

describe('a run that was cut short', () => {
  async function cutAfter(count: number, tail = ''): Promise<string> {
    const { dir } = await richPackage();
    const left = directory();
    const texts = readFileSync(join(dir, 'journal.jsonl'), 'utf8').split('\n').slice(0, count);
    writeFileSync(join(left, 'journal.jsonl'), `${texts.join('\n')}\n${tail}`);
    writeFileSync(join(left, '.recipewright'), 'ours');
    return left;
  }

  test('a run that was cut short is incomplete and unknown at its running node, without errors about missing files', async () => {
    const dir = await cutAfter(5);
    expect(verifyPackage(dir)).toMatchObject({
      status: 'incomplete',
      verdict: 'unknown',
      reason: 'interrupted at first, first/done',
      findings: [],
    });
  });

  test('a run that was cut short while its package was written proves nothing, even if its journal ended with a pass', async () => {
    const { dir } = await richPackage();
    for (const late of ['artifact-manifest.json', 'summary.json']) rmSync(join(dir, late));
    expect(verifyPackage(dir)).toMatchObject({
      ...{ status: 'incomplete', verdict: 'unknown', reason: 'interrupted while the package was written' },
      ...{ proof: [], findings: [] },
    });
  });

  test('the journal of a run that was cut short may have an incomplete last line', async () => {
    const dir = await cutAfter(3, '{"v":1,"seq":3,"t":"be');
    expect(verifyPackage(dir)).toMatchObject({ status: 'incomplete', reason: 'interrupted at first, first/ask', findings: [] });
  });

  test('an incomplete line in the middle of a journal breaks its chain', async () => {
    const dir = await cutAfter(3, '{"v":1,"seq":3,"t":"be\n{}\n');
    expect(verifyPackage(dir)).toMatchObject({
      status: 'invalid',
      findings: [{ code: 'package.broken_chain', place: { line: 4 } }],
    });
  });

  test('the package of a run that died verifies as unknown, with the failure that its host saw', async () => {
    const { dir } = await richPackage();
    const journal = readFileSync(join(dir, 'journal.jsonl'), 'utf8').split('\n').slice(0, 5);
    const packed = join(directory(), 'out');
    writePackage(packed, { id: 'a', recipe: richRecipe, journal, findArtifact: () => undefined, hostFailure: 'the worker died' });
    expect(verifyPackage(packed)).toMatchObject({
      status: 'verified',
      verdict: 'unknown',
      reason: 'interrupted at first, first/done: the worker died',
    });
    write(packed, 'summary.json', { ...jsonIn(packed, 'summary.json'), host_failure: 'nothing' });
    expect(findingsOf(packed)).toEqual(['package.digest_mismatch']);
  });
});

test('additional documents of the host are part of the package', async () => {
  const { dir } = await richPackage();
  const packed = join(directory(), 'out');
  const documents = new Map([
    ['workflow.json', '{}\n'],
    ['source.md', '# A recipe\n'],
  ]);
  const journal = readFileSync(join(dir, 'journal.jsonl'), 'utf8').trimEnd().split('\n');
  writePackage(packed, {
    id: 'a',
    recipe: richRecipe,
    journal,
    documents,
    findArtifact: (path) => readFileSync(join(dir, path)),
  });
  expect(verifyPackage(packed)).toMatchObject({ status: 'verified', verdict: 'pass', findings: [] });
  const { artifacts } = jsonIn(packed, 'artifact-manifest.json');
  expect(artifacts).toEqual(
    expect.arrayContaining([
      {
        path: 'workflow.json',
        type: 'recipe',
        category: 'system',
        label: 'Normalized workflow',
        sha256: sha256('{}\n'),
        size: 3,
      },
      expect.objectContaining({ path: 'source.md', label: 'Authored recipe' }),
    ]),
  );
  writeFileSync(join(packed, 'source.md'), '# Another recipe\n');
  expect(findingsOf(packed)).toEqual(['package.digest_mismatch']);
});

const corpus = fileURLToPath(new URL('../../../../shared/corpus/recipe-v1/packages', import.meta.url));
test.skipIf(!existsSync(corpus))(
  'a package of another runner does not verify, since it has no journal (needs the corpus)',
  () => {
    expect(findingsOf(join(corpus, '727-recipe-run'))).toContain('package.no_journal');
  },
);

test('every code that verify reports has a line in docs/findings.md', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const sources = ['src/verify', 'src/evidence'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
  );
  const texts = sources.filter((file) => file.endsWith('.ts')).map((file) => readFileSync(file, 'utf8'));
  const reported = new Set(texts.flatMap((text) => [...text.matchAll(/'(package\.(?!js|ts)[a-z_]+)'/g)].map(([, code]) => code)));
  const rows = readFileSync(join(root, 'docs/findings.md'), 'utf8').matchAll(/^\| `(package\.\w+)` \| \S/gm);
  expect([...rows].map(([, code]) => code).sort()).toEqual([...reported].sort());
  expect(reported.size).toBeGreaterThan(10);
});
