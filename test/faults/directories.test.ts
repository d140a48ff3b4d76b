// Artifacts directories that several runs want or that contain files: one run gets the directory, and existing files stay unchanged.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { placePackage } from '../../src/evidence/packageDirs.js';
import { sha256 } from '../../src/system/files/files.js';
import { listTree } from '../../src/system/files/listTree.js';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { runCount, timeoutMs } from '../property/runCount.js';
import { cliProject } from '../support/cli.js';
import { recipeOf } from '../support/plain.js';

const timeout = timeoutMs;
const command = (cmd: string, next: string): Record<string, unknown> => ({ action: 'command', cmd, next });
const small = recipeOf({ first: command('echo one', 'done') });

const contentsOf = (dir: string): unknown =>
  listTree(dir).map(({ path, kind }) => [path, kind, kind === 'file' ? sha256(readFileSync(join(dir, path))) : '']);

describe('one artifacts directory for several runs', () => {
  const rounds = Math.min(20, runCount(1, 10).numRuns ?? 1);
  const asking = recipeOf(
    {
      first: command('echo {{who}}; seq 1 20000', 'keep'),
      keep: { action: 'index_artifacts', artifacts: ['notes.txt'], next: 'done' },
    },
    { inputs: { who: { type: 'string', required: true } } },
  );

  test.for(['new', 'empty'])('F31 exactly one of 8 parallel runs gets a %s artifacts directory', { timeout }, async (kind) => {
    for (let round = 0; round < rounds; round++) {
      const { dir, run } = cliProject({ 'a.recipe.json': asking, 'notes.txt': 'notes' });
      if (kind === 'empty') mkdirSync(join(dir, 'out'));
      const args = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out'];
      const ended = await Promise.all(Array.from({ length: 8 }, (_, who) => run(...args, '--input', `who=${who}`)));
      const codes = ended.map(({ exitCode }) => exitCode);
      expect(codes.toSorted()).toEqual([0, 2, 2, 2, 2, 2, 2, 2]);
      for (const { stderr } of ended.filter(({ exitCode }) => exitCode === 2)) {
        expect(stderr).toContain(`The artifacts directory ${join(dir, 'out')} is not empty. It belongs to another run`);
        expect(stderr).not.toContain('RUN 1/');
      }
      expect(verifyPackage(join(dir, 'out'))).toMatchObject({ status: 'verified', verdict: 'pass' });
      const { inputs } = JSON.parse(readFileSync(join(dir, 'out/summary.json'), 'utf8'));
      expect(inputs.who.value).toBe(String(codes.indexOf(0)));
    }
  });
});

describe('existing files in the artifacts directory', () => {
  const replaceable = 'This directory belongs to recipewright and is replaced by the next run.\n';
  const trees: Record<string, Record<string, string>> = {
    'files of the user': { 'notes.md': 'mine', 'deep/er/data.bin': '\0\x01' },
    'a file of the user with the name .recipewright': { '.recipewright': 'my own settings', 'notes.md': 'mine' },
    'a directory of the user with the name .recipewright': { '.recipewright/config.json': '{}', 'summary.json': '{}' },
    'a hidden file': { '.keep': '' },
    'a package of an earlier run': {},
  };

  test.for(Object.entries(trees))('F32 a run does not change an artifacts directory with %s', { timeout }, async ([, files]) => {
    const { dir, run } = cliProject({ 'a.recipe.json': small });
    const out = join(dir, 'out');
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(out, name, '..'), { recursive: true });
      writeFileSync(join(out, name), text);
    }
    const args = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out'];
    if (Object.keys(files).length === 0) expect((await run(...args)).exitCode).toBe(0);
    const before = contentsOf(out);
    const { exitCode, stderr } = await run(...args);
    expect([exitCode, stderr.includes('run.directory_not_empty'), contentsOf(out)]).toEqual([2, true, before]);
    const parts = { id: 'out', recipe: small, journal: [], findArtifact: () => undefined };
    expect(() => placePackage({ outputDir: dir, id: 'out', repeat: 0, attempt: 0 }, parts)).toThrow(
      /did not write, or may not replace/,
    );
    expect(contentsOf(out)).toEqual(before);
  });

  test('F32 the reporter replaces its results directory, and a run does not', async () => {
    const { dir, run } = cliProject({ 'a.recipe.json': small });
    const out = join(dir, 'out');
    mkdirSync(out);
    writeFileSync(join(out, '.recipewright'), replaceable);
    writeFileSync(join(out, 'summary.json'), '{}');
    const before = contentsOf(out);
    expect((await run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out')).exitCode).toBe(2);
    expect(contentsOf(out)).toEqual(before);
    placePackage(
      { outputDir: dir, id: 'out', repeat: 0, attempt: 0 },
      { id: 'out', recipe: small, journal: [], findArtifact: () => undefined },
    );
    expect(contentsOf(out)).not.toEqual(before);
  });
});
