// `recipewright verify` exits with 0 only when the evidence is intact and its verdict is pass.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifyAnswer } from '../../../src/cli/verify.js';
import { writePackage } from '../../../src/evidence/writePackage.js';
import { directory } from '../evidence/packages.js';
import { richPackage, richRecipe, runIn } from '../evidence/richPackage.js';

const failing = { ...richRecipe, proofTargets: [{ id: 'AC2', claim: 'Nobody looks.' }] };

describe('recipewright verify', () => {
  test('verify exits with 0 for intact evidence and prints what it proves', async () => {
    const { dir, project } = await richPackage();
    const { exitCode, text, document } = verifyAnswer([dir], { recipe: join(project, 'a.recipe.json') });
    expect(exitCode).toBe(0);
    const { startedAt } = document as { startedAt: string };
    expect(text).toBe(
      `Evidence: verified, pass: 1 of 1 claims proven\n  proven   AC1: The notes are kept.\nRecipe: a (A rich recipe)\nCommit: not recorded\nRun: ${startedAt}\nUnsigned: nothing here proves who wrote the files. --statement writes a statement that you can sign.\n`,
    );
    expect(document).toEqual({
      ...{ recipe: { id: 'a', title: 'A rich recipe', digest: expect.stringMatching(/^sha256:/) }, startedAt, signed: false },
      ...{ status: 'verified', verdict: 'pass', reason: '1 of 1 claims proven', findings: [] },
      proof: [{ id: 'AC1', claim: 'The notes are kept.', status: 'proven', held: 2, failed: 0, artifacts: 1 }],
    });
  });

  test('verify exits with 1 when the evidence is intact but its verdict is not pass', async () => {
    const recipe = JSON.parse(JSON.stringify(failing).replaceAll('"AC1"', '"AC2"').replaceAll('"kept"', '"gone"'));
    const { exitCode, text } = verifyAnswer([await runIn(directory(), recipe)], {});
    expect(exitCode).toBe(1);
    expect(text).toMatch(
      /^Evidence: verified, fail: check: .*\n {2}refuted {2}AC2: Nobody looks\. \(1 of 2 assertions did not hold\)\n/,
    );
  });

  test('verify exits with 1 and names the changed file, without its content', async () => {
    const { dir } = await richPackage();
    writeFileSync(join(dir, 'notes.log'), '\u001b[31mforged\n');
    const { exitCode, text, document } = verifyAnswer([dir], {});
    expect(exitCode).toBe(1);
    expect(text).toContain(`error: package.digest_mismatch  ${join(dir, 'notes.log')}:1:1\n`);
    expect(text).toContain('\nEvidence: invalid, unknown: the evidence does not hold: "notes.log" is not the file');
    expect(text).not.toContain('forged');
    expect(document).toMatchObject({ status: 'invalid', findings: [{ code: 'package.digest_mismatch', line: 1, column: 1 }] });
  });

  test('verify exits with 1 for an interrupted run and names where it stopped', async () => {
    const { dir } = await richPackage();
    const interrupted = directory();
    const lines = readFileSync(join(dir, 'journal.jsonl'), 'utf8').split('\n').slice(0, 2);
    writeFileSync(join(interrupted, 'journal.jsonl'), `${lines.join('\n')}\n`);
    expect(verifyAnswer([interrupted], {})).toMatchObject({
      exitCode: 1,
      text: expect.stringMatching(/^Evidence: incomplete, unknown: interrupted at first\n/),
    });
  });

  test('verify escapes text of a recipe that a terminal or a CI would interpret', async () => {
    const { dir } = await richPackage();
    const packed = join(directory(), 'out');
    const journal = readFileSync(join(dir, 'journal.jsonl'), 'utf8').trimEnd().split('\n').slice(0, 2);
    const hostFailure = 'died\n::error::you\u001b[2J';
    writePackage(packed, { id: 'a', recipe: richRecipe, journal, findArtifact: () => undefined, hostFailure });
    const { text } = verifyAnswer([packed], {});
    expect(text).toContain('died\n\\::error::you\\u{1b}[2J');
  });

  test.for<[what: string, names: (dir: string) => string[], options: object, message: RegExp]>([
    ['no directory', () => [], {}, /verify needs one directory, but it got 0/],
    ['two directories', (dir) => [dir, dir], {}, /but it got 2/],
    ['a directory that is not there', (dir) => [join(dir, 'none')], {}, /There is no directory/],
    ['a recipe that is not there', (dir) => [dir], { recipe: 'none.recipe.json' }, /--recipe needs a file/],
    ['two commits', (dir) => [dir], { gitRef: ['a', 'b'] }, /--git-ref needs one value/],
    ['a library without a name', (dir) => [dir], { library: 'x' }, /--library needs name=/],
  ])('verify refuses %s', async ([, names, options, message]) => {
    const dir = directory();
    expect(() => verifyAnswer(names(dir), options)).toThrow(message);
    rmSync(dir, { recursive: true });
  });
});
