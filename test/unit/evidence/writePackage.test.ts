// Packages are written in parts, leave no partial files, and have the fields of the protocol.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type JournalEntry, openJournal } from '../../../src/evidence/journal.js';
import { isArtifactPath } from '../../../src/evidence/packageFiles.js';
import { memorySink } from '../../../src/evidence/packageSink.js';
import { JsonListWriter } from '../../../src/evidence/writeJson.js';
import { buildPackage, type PackageParts, writePackage } from '../../../src/evidence/writePackage.js';
import { clockOf } from '../../support/clock.js';
import { directory, jsonIn } from './packages.js';

const runner = { name: '@shop/runner', source: 'packages/runner', git_ref: '0123456789abcdef', note: 'a "@" mark' };

function journalOf(run: object = {}, artifacts?: object[]): string[] {
  const journal: string[] = [];
  const { write } = openJournal(clockOf(), (line) => journal.push(line));
  const tool = { name: 'recipewright', version: 'source' };
  const at = (path: string) => ({ path, visit: 1, attempt: 0 });
  const inputs = { who: { value: 'me', origin: 'cli' } };
  write({
    t: 'run',
    ...at(''),
    run: 'r1',
    recipe: { id: 'r', digest: '' },
    tool,
    host: tool,
    inputs,
    targets: [],
    ...run,
  } as JournalEntry);
  for (const path of ['a', 'b']) {
    write({ t: 'begin', ...at(path), action: 'x', fallible: true } as JournalEntry);
    write({
      t: 'end',
      ...at(path),
      ms: 1,
      ok: true,
      output: { list: [], text: 'é\n' },
      ...(artifacts ? { artifacts } : {}),
    } as JournalEntry);
  }
  write({ t: 'end', ...at(''), ms: 1, ok: true, status: 'pass' } as JournalEntry);
  return journal;
}

const partsOf = (rest: Partial<PackageParts> = {}): PackageParts => ({
  id: 'r',
  recipe: undefined,
  journal: journalOf(),
  findArtifact: () => undefined,
  ...rest,
});

describe('a list that is written in parts', () => {
  const wrapInEnvelope = (entries: readonly unknown[]) => ({ metadata: { runner }, entries });
  test.for<[what: string, list: unknown[], wrap?: (list: readonly unknown[]) => unknown]>([
    ['no value', []],
    ['one value', [{ a: [1, { b: 'c\n"@"' }], d: {} }]],
    ['several values', [1, 'two', null, [], { three: [3] }]],
    ['more values than one batch', Array.from({ length: 40 }, (_, at) => ({ at }))],
    ['no value in an envelope', [], wrapInEnvelope],
    ['some values in an envelope', [{ a: [1, { b: 'c' }] }, [], 'x'], wrapInEnvelope],
    ['more values than one batch in an envelope', Array.from({ length: 33 }, (_, at) => [at, { at }]), wrapInEnvelope],
  ])(
    'a list with %s that is written in parts has the same text as from JSON.stringify',
    ([, list, wrap = (same: readonly unknown[]): unknown => same]) => {
      const files = new Map<string, Uint8Array>();
      const writer = new JsonListWriter(memorySink(files).open('x'), wrap);
      for (const value of list) writer.write(value);
      writer.close();
      expect(Buffer.from(files.get('x') ?? []).toString()).toBe(`${JSON.stringify(wrap(list), null, 2)}\n`);
    },
  );
});

describe('a package', () => {
  test('a package has the same bytes on disk as in memory', () => {
    const dir = directory();
    const { files } = buildPackage(partsOf());
    writePackage(dir, partsOf());
    expect(readdirSync(dir).sort()).toEqual([...files.keys()].sort());
    for (const [path, bytes] of files) expect(readFileSync(join(dir, path)).equals(bytes)).toBe(true);
  });

  test('the summary of a package has the id of the run, and its inputs with their origins', () => {
    const { summary } = buildPackage(partsOf({ journal: journalOf({ git_ref: 'abc' }) }));
    expect(summary).toMatchObject({ run: 'r1', git_ref: 'abc', inputs: { who: { value: 'me', origin: 'cli' } } });
  });

  test('the runner is in the summary, the trace and the manifest, and without a runner the trace is a list', () => {
    const { summary, manifest, files } = buildPackage(partsOf({ journal: journalOf({ runner }) }));
    const trace = JSON.parse(Buffer.from(files.get('trace.json') ?? []).toString());
    expect([summary.runner, trace.metadata.runner, manifest.provenance?.runner]).toEqual([runner, runner, runner]);
    expect(trace.entries).toHaveLength(2);
    const plain = buildPackage(partsOf());
    expect(JSON.parse(Buffer.from(plain.files.get('trace.json') ?? []).toString())).toHaveLength(2);
    expect([plain.summary.runner, plain.manifest.provenance]).toEqual([undefined, undefined]);
  });

  test('a package keeps every line of its journal, including those after a break in the chain', () => {
    const [first = '', , ...rest] = journalOf();
    const { files, summary, problem } = buildPackage(partsOf({ journal: [first, ...rest, 'x'] }));
    expect(Buffer.from(files.get('journal.jsonl') ?? []).toString()).toBe(`${[first, ...rest, 'x'].join('\n')}\n`);
    expect(problem).toBe('journal line 2 does not follow the line before it');
    expect(summary).toMatchObject({ status: 'unknown', total: 0 });
  });

  test('a package that cannot be finished leaves no partial file behind', () => {
    const dir = directory();
    const journal = {
      *[Symbol.iterator]() {
        yield* journalOf().slice(0, 3);
        throw new Error('the disk is gone');
      },
    };
    expect(() => writePackage(dir, partsOf({ journal }))).toThrow('the disk is gone');
    expect(readdirSync(dir)).toEqual([]);
    mkdirSync(join(dir, 'summary.json'));
    expect(() => writePackage(dir, partsOf())).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(readdirSync(dir).filter((name) => name.includes('partial') || name.startsWith('artifact'))).toEqual([]);
  });

  test('artifacts that are in the directory already are checked, and not written again', () => {
    const dir = directory();
    const artifact = { path: 'shots/a.png', type: 'screenshot', sha256: 'f00', size: 3 };
    const journal = journalOf({}, [artifact]);
    const { summary } = writePackage(dir, partsOf({ journal, inPlace: true, findArtifact: () => ({ sha256: 'f00', size: 3 }) }));
    expect(summary.status).toBe('pass');
    expect([existsSync(join(dir, 'shots')), existsSync(join(dir, 'journal.jsonl'))]).toEqual([false, false]);
    expect(jsonIn(dir, 'artifact-manifest.json').artifacts).toContainEqual(artifact);
    const other = writePackage(dir, partsOf({ journal, inPlace: true, findArtifact: () => ({ sha256: 'bad', size: 3 }) }));
    expect(other.summary).toMatchObject({ status: 'unknown', reason: expect.stringContaining('not the one that was captured') });
  });
});

test.for([
  ['shots/a.png', true],
  ['source.png', true],
  ['sub/summary.json', true],
  ['source.json', false],
  ['Source.recipe.JSON', false],
  ['workflow.json', false],
  ['ISSUES.json', false],
  ['review.html', false],
  ['../a.png', false],
  ['a//b.png', false],
] as const)('an artifact may have the path %s: %s', ([path, free]) => {
  expect(isArtifactPath(path)).toBe(free);
});
