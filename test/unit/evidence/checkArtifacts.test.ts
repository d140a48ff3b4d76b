// Findings about the artifact manifest of a package: its shape, its paths and its nodes.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkPackage } from '../../../src/evidence/checkPackage.js';
import { findingsAfter, formatFindings, type Json, jsonIn, realPackage, write } from './packages.js';

describe('a package', () => {
  const artifact = (entry: unknown) => (json: Json) => ({ ...json, artifacts: [entry] });
  test.for<[what: string, change: (json: Json) => unknown, expected: string]>([
    ['is not an object', () => [], 'error artifact_manifest.invalid_document'],
    ['has another version', (json) => ({ ...json, version: 2 }), 'error artifact_manifest.invalid_version /version'],
    ['has no list', (json) => ({ ...json, artifacts: {} }), 'error artifact_manifest.invalid_artifacts /artifacts'],
    [
      'has a list as its status',
      (json) => ({ ...json, runStatus: ['pass'] }),
      'error artifact_manifest.invalid_run_status /runStatus',
    ],
    [
      'has a string as its provenance',
      (json) => ({ ...json, provenance: 'me' }),
      'error artifact_manifest.invalid_provenance /provenance',
    ],
    [
      'has a runner without a commit',
      (json) => ({ ...json, provenance: { runner: { source: 'x' } } }),
      'error artifact_manifest.invalid_runner_provenance_field /provenance/runner/git_ref',
    ],
    ['has a string instead of an artifact', artifact('a.png'), 'error artifact_manifest.invalid_artifact /artifacts/0'],
    ['has no path', artifact({ type: 'log' }), 'error artifact_manifest.invalid_path /artifacts/0/path'],
    ['has no type', artifact({ path: 'trace.json' }), 'error artifact_manifest.invalid_type /artifacts/0/type'],
    [
      'has an unknown artifact type',
      artifact({ path: 'trace.json', type: 'image' }),
      'warning artifact_manifest.unknown_type /artifacts/0/type',
    ],
    [
      'has a number as a label',
      artifact({ path: 'trace.json', type: 'log', label: 1 }),
      'error artifact_manifest.invalid_optional_field /artifacts/0/label',
    ],
    [
      'covers a claim without a name',
      artifact({ path: 'trace.json', type: 'log', covers: [''] }),
      'error artifact_manifest.invalid_covers /artifacts/0/covers/0',
    ],
    [
      'has a video without frames',
      artifact({ path: 'trace.json', type: 'log', maxFps: 0 }),
      'error artifact_manifest.invalid_max_fps /artifacts/0/maxFps',
    ],
    [
      'names an unknown node',
      artifact({ path: 'trace.json', type: 'log', nodeId: 'nobody' }),
      'warning artifact_manifest.unknown_node /artifacts/0/nodeId',
    ],
    [
      'names a missing file',
      artifact({ path: 'shots/none.png', type: 'screenshot', nodeId: 'first/ask' }),
      'error artifact_manifest.missing_file /artifacts/0/path',
    ],
    ['lists the package itself', artifact({ path: '.', type: 'other' }), 'error artifact_manifest.unsafe_path /artifacts/0/path'],
    [
      'has a field in another casing',
      artifact({ path: 'trace.json', type: 'log', proof_target: 'AC1' }),
      'error artifact_manifest.field_casing /artifacts/0/proof_target',
    ],
    [
      'has "nodeId" in another casing',
      artifact({ path: 'trace.json', type: 'log', node_id: 'first' }),
      'error artifact_manifest.field_casing /artifacts/0/node_id',
    ],
    [
      'has a required field in another casing, which is not also reported as missing,',
      artifact({ Path: 'trace.json', type: 'log' }),
      'error artifact_manifest.field_casing /artifacts/0/Path',
    ],
    [
      'has "runStatus" in another casing',
      (json) => ({ ...json, run_status: 'pass' }),
      'error artifact_manifest.field_casing /run_status',
    ],
  ])('a manifest that %s has a finding', async ([, change, expected]) => {
    expect(await findingsAfter('artifact-manifest.json', change)).toEqual([expected]);
  });

  test.for(['../a', '/etc/passwd', '\\a', 'C:/a', 'D:\\a', 'a/../../b', 'a\\..\\b', '..'])(
    'an artifact path outside the package is refused: %s',
    async (path) => {
      const found = await findingsAfter('artifact-manifest.json', artifact({ path, type: 'log' }));
      expect(found).toEqual(['error artifact_manifest.unsafe_path /artifacts/0/path']);
    },
  );

  test.for(['a..b.log', '...', 'a/..b'])('an artifact path with dots in a name is allowed: %s', async (path) => {
    const dir = await realPackage();
    mkdirSync(join(dir, 'a'));
    writeFileSync(join(dir, path), 'x');
    write(dir, 'artifact-manifest.json', { ...jsonIn(dir, 'artifact-manifest.json'), artifacts: [{ path, type: 'log' }] });
    expect(checkPackage(dir)).toEqual([]);
  });

  test('a manifest may have additional fields of its runner', async () => {
    const own = artifact({ path: 'trace.json', type: 'log', mime: 'text/plain', reviewed_by: 'me' });
    expect(await findingsAfter('artifact-manifest.json', own)).toEqual([]);
  });

  test('empty media and files that are listed twice have findings', async () => {
    const dir = await realPackage();
    mkdirSync(join(dir, 'shots'));
    for (const name of ['a.png', 'b.webm', 'c.log']) writeFileSync(join(dir, 'shots', name), '');
    writeFileSync(join(dir, 'shots/d.png'), 'x');
    const artifacts = [
      { path: 'shots', type: 'screenshot' },
      { path: 'shots/a.png', type: 'screenshot' },
      { path: 'shots/b.webm', type: 'video' },
      { path: 'shots/c.log', type: 'log' },
      { path: 'shots/d.png', type: 'screenshot' },
      { path: 'shots//d.png', type: 'screenshot' },
    ];
    write(dir, 'artifact-manifest.json', { ...jsonIn(dir, 'artifact-manifest.json'), artifacts });
    expect(formatFindings(checkPackage(dir))).toEqual([
      'error artifact_manifest.not_a_file /artifacts/0/path',
      'error artifact_manifest.empty_file /artifacts/1/path',
      'error artifact_manifest.empty_file /artifacts/2/path',
      'warning artifact_manifest.duplicate_path /artifacts/5/path',
    ]);
  });

  test('an artifact for an undeclared claim has a finding if the recipe declares claims', async () => {
    const dir = await realPackage();
    const claimed = { path: 'trace.json', type: 'log', proofTarget: 'AC1', covers: ['AC1', 'AC7'] };
    write(dir, 'artifact-manifest.json', { ...jsonIn(dir, 'artifact-manifest.json'), artifacts: [claimed] });
    expect(checkPackage(dir)).toEqual([]);
    write(dir, 'recipe.json', { ...jsonIn(dir, 'recipe.json'), proofTargets: [{ id: 'AC1', claim: 'The shop answers.' }] });
    expect(checkPackage(dir)).toMatchObject([
      {
        code: 'artifact_manifest.undeclared_proof_target',
        severity: 'warning',
        path: '/artifacts/0/covers/1',
        hint: 'Did you mean "AC1"? Known: AC1.',
      },
    ]);
  });

  test('an artifact that is a link to a file outside the package is refused', async () => {
    const dir = await realPackage();
    symlinkSync('/etc/hostname', join(dir, 'host.log'));
    write(dir, 'artifact-manifest.json', {
      ...jsonIn(dir, 'artifact-manifest.json'),
      artifacts: [{ path: 'host.log', type: 'log' }],
    });
    expect(formatFindings(checkPackage(dir))).toEqual(['error artifact_manifest.unsafe_path /artifacts/0/path']);
  });
});
