// A suite has a problem when its packages are of several commits or work trees.
import { expect, test } from 'vitest';
import { describeDifferingTrees, warnUnknownCommits } from '../../../src/evidence/suiteOrigin.js';
import type { Summary } from '../../../src/evidence/summary.js';

const entry = (name: string, fields: Partial<Summary>) => ({ name, summary: { run: name, ...fields } as Summary });
const tree = { git_dirty: false, tree_digest: 'sha256:same' };

test('packages of two commits with the same files are of two work trees', () => {
  expect(describeDifferingTrees([entry('a', { ...tree, git_ref: '1' }), entry('b', { ...tree, git_ref: '1' })])).toEqual([]);
  expect(describeDifferingTrees([entry('a', { ...tree, git_ref: '1' }), entry('b', { ...tree, git_ref: '2' })])).toMatchObject([
    { name: 'work tree 1 of 2', detail: expect.stringContaining('a is of commit 1, clean') },
    { name: 'work tree 2 of 2', detail: expect.stringContaining('b is of commit 2, clean') },
  ]);
});

test('merged packages without any commit have a warning that they may be of different code', () => {
  expect(warnUnknownCommits([entry('a', {}), entry('b', {})])).toEqual([expect.stringContaining('No package has a commit')]);
  expect(warnUnknownCommits([entry('a', {})])).toEqual([]);
  expect(warnUnknownCommits([entry('a', {}), entry('b', { git_ref: '1' })])).toEqual([]);
});
