// How a package is written: the same bytes as all at once, nothing half done, and the words of the protocol.
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

describe('a list that is written bit by bit', () => {
  const around = (entries: readonly unknown[]) => ({ metadata: { runner }, entries });
  test.for<[what: string, list: unknown[], wrap?: (list: readonly unknown[]) => unknown]>([
    ['nothing', []],
    ['one value', [{ a: [1, { b: 'c\n"@"' }], d: {} }]],
    ['several values', [1, 'two', null, [], { three: [3] }]],
    ['more values than are printed at once', Array.from({ length: 40 }, (_, at) => ({ at }))],
    ['nothing in an envelope', [], around],
    ['values in an envelope', [{ a: [1, { b: 'c' }] }, [], 'x'], around],
    ['more of them in an envelope', Array.from({ length: 33 }, (_, at) => [at, { at }]), around],
  ])('with %s has the bytes of the whole', ([, list, wrap = (same: readonly unknown[]): unknown => same]) => {
    const files = new Map<string, Uint8Array>();
    const writer = new JsonListWriter(memorySink(files).open('x'), wrap);
    for (const value of list) writer.write(value);
    writer.close();
    expect(Buffer.from(files.get('x') ?? []).toString()).toBe(`${JSON.stringify(wrap(list), null, 2)}\n`);
  });
});

describe('a package', () => {
  test('has the same bytes on disk as in memory', () => {
    const dir = directory();
    const { files } = buildPackage(partsOf());
    writePackage(dir, partsOf());
    expect(readdirSync(dir).sort()).toEqual([...files.keys()].sort());
    for (const [path, bytes] of files) expect(readFileSync(join(dir, path)).equals(bytes)).toBe(true);
  });

  test('says which run it is of, and what that was given by whom', () => {
    const { summary } = buildPackage(partsOf({ journal: journalOf({ git_ref: 'abc' }) }));
    expect(summary).toMatchObject({ run: 'r1', git_ref: 'abc', inputs: { who: { value: 'me', origin: 'cli' } } });
  });

  test('with a runner names it in summary, trace and manifest alike; without one the trace is a list', () => {
    const { summary, manifest, files } = buildPackage(partsOf({ journal: journalOf({ runner }) }));
    const trace = JSON.parse(Buffer.from(files.get('trace.json') ?? []).toString());
    expect([summary.runner, trace.metadata.runner, manifest.provenance?.runner]).toEqual([runner, runner, runner]);
    expect(trace.entries).toHaveLength(2);
    const plain = buildPackage(partsOf());
    expect(JSON.parse(Buffer.from(plain.files.get('trace.json') ?? []).toString())).toHaveLength(2);
    expect([plain.summary.runner, plain.manifest.provenance]).toEqual([undefined, undefined]);
  });

  test('keeps the journal as it came, what follows a break in its chain included', () => {
    const [first = '', , ...rest] = journalOf();
    const { files, summary, problem } = buildPackage(partsOf({ journal: [first, ...rest, 'x'] }));
    expect(Buffer.from(files.get('journal.jsonl') ?? []).toString()).toBe(`${[first, ...rest, 'x'].join('\n')}\n`);
    expect(problem).toBe('journal line 2 does not follow the one before it');
    expect(summary).toMatchObject({ status: 'unknown', total: 0 });
  });

  test('that cannot be finished leaves no half file behind', () => {
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

  test('whose artifacts lie there already only looks at them', () => {
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
] as const)('the name %s is free for an artifact: %s', ([path, free]) => {
  expect(isArtifactPath(path)).toBe(free);
});
