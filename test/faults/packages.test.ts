// F34 and F36: statements about the origin of packages, and packages that arrive as archives.
import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { compareAnswer } from '../../src/cli/compare.js';
import { verifyAnswer } from '../../src/cli/verify.js';
import { UnsafeArchive, unpackArchive } from '../../src/evidence/unpackArchive.js';
import { zipLimits } from '../../src/secrets/zipEntries.js';
import { listTree } from '../../src/system/files/listTree.js';
import { directory } from '../unit/evidence/packages.js';
import { richPackage, richRecipe, runIn } from '../unit/evidence/richPackage.js';
import { type Zipped, zipOf } from '../unit/secrets/zipOf.js';

// https://github.com/in-toto/attestation: spec/v1/statement.md, spec/predicates/test-result.md
const digest = z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const resource = z.strictObject({ name: z.string().min(1), digest });
const statementModel = z.strictObject({
  _type: z.literal('https://in-toto.io/Statement/v1'),
  subject: z.array(resource).min(1),
  predicateType: z.literal('https://in-toto.io/attestation/test-result/v0.1'),
  predicate: z.strictObject({
    result: z.enum(['PASSED', 'WARNED', 'FAILED']),
    configuration: z.array(resource).min(1),
    ...{ passedTests: z.array(z.string()), warnedTests: z.array(z.string()), failedTests: z.array(z.string()) },
  }),
});

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const regressed = JSON.parse(JSON.stringify(richRecipe).replaceAll('"contains":"kept"', '"contains":"gone"'));

function writeStatement(dir: string): { text: string; statement: z.infer<typeof statementModel> | undefined } {
  const file = join(directory(), 'statement.json');
  const { text } = verifyAnswer([dir], { statement: file });
  return { text, statement: existsSync(file) ? statementModel.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined };
}

/** The bytes that a signer such as `cosign attest-blob` signs: https://github.com/secure-systems-lab/dsse, protocol.md. */
const payloadType = 'application/vnd.in-toto+json';
const encoded = (payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload]);

describe('F34 an in-toto statement', () => {
  test('a signature of an in-toto statement is valid only for its package', async () => {
    const { dir } = await richPackage();
    const file = join(directory(), 'statement.json');
    verifyAnswer([dir], { statement: file });
    const payload = readFileSync(file);
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const sig = sign('sha256', encoded(payload), privateKey).toString('base64');
    const envelope = JSON.parse(JSON.stringify({ payloadType, payload: payload.toString('base64'), signatures: [{ sig }] }));

    const decoded = Buffer.from(envelope.payload, 'base64');
    const holds = (bytes: Buffer): boolean =>
      verify('sha256', encoded(bytes), publicKey, Buffer.from(envelope.signatures[0].sig, 'base64'));
    expect(holds(decoded)).toBe(true);
    const { subject, predicateType } = statementModel.parse(JSON.parse(decoded.toString()));
    expect(predicateType).toMatch(/^https:/);
    expect(subject[0]?.digest.sha256).toBe(sha256(join(dir, 'artifact-manifest.json')));
    expect(holds(Buffer.from(decoded.toString().replace('PASSED', 'FAILED')))).toBe(false);
    writeFileSync(join(dir, 'artifact-manifest.json'), `${readFileSync(join(dir, 'artifact-manifest.json'), 'utf8')} `);
    expect(subject[0]?.digest.sha256).not.toBe(sha256(join(dir, 'artifact-manifest.json')));
  });

  test('an in-toto statement has the digest of the manifest and every claim, and is unsigned', async () => {
    const { dir } = await richPackage();
    const { statement, text } = writeStatement(dir);
    expect(statement?.subject).toEqual([
      { name: 'artifact-manifest.json', digest: { sha256: sha256(join(dir, 'artifact-manifest.json')) } },
    ]);
    expect(statement?.predicate).toEqual({
      result: 'PASSED',
      configuration: [{ name: 'recipe.json', digest: { sha256: sha256(join(dir, 'recipe.json')) } }],
      passedTests: ['AC1: The notes are kept.'],
      warnedTests: [],
      failedTests: [],
    });
    expect(text).toMatch(/Statement: .*statement\.json, unsigned\n$/);
  });

  test('the in-toto statement of a failed run says FAILED', async () => {
    const { statement } = writeStatement(await runIn(directory(), regressed));
    expect(statement?.predicate).toMatchObject({ result: 'FAILED', passedTests: [], failedTests: ['AC1: The notes are kept.'] });
  });

  test('verify writes no in-toto statement for a changed package', async () => {
    const { dir } = await richPackage();
    writeFileSync(join(dir, 'notes.log'), 'other');
    expect(writeStatement(dir)).toEqual({ statement: undefined, text: expect.stringContaining('No statement was written') });
  });
});

/** An ordinary zip archive of the files in a directory. */
function zipped(dir: string, below = ''): Buffer {
  const files = listTree(dir).filter(({ kind }) => kind === 'file');
  return zipOf(Object.fromEntries(files.map(({ path }) => [`${below}${path}`, readFileSync(join(dir, path))])));
}

/** A zip archive whose entries all share the same bytes. */
function overlapping(count: number): Buffer {
  const [one, many] = [
    zipOf({ a: 'x'.repeat(900) }),
    zipOf(Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, '']))),
  ];
  const entry = one.subarray(one.indexOf('PK\x01\x02'), one.indexOf('PK\x05\x06'));
  const entries = Array.from({ length: count }, (_, index) => {
    const copy = Buffer.from(entry);
    copy.write(String.fromCharCode(97 + index), copy.length - 1);
    return copy;
  });
  const directoryOf = Buffer.concat(entries);
  const end = Buffer.from(many.subarray(-22));
  const local = one.subarray(0, one.indexOf('PK\x01\x02'));
  end.writeUInt32LE(directoryOf.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, directoryOf, end]);
}

const zeros = Buffer.alloc(20_000_000);
const link: Zipped = { content: '/etc/passwd', mode: 0xa1ff };

describe('F36 an archive', () => {
  test.for<[what: string, archive: () => Buffer, why: RegExp]>([
    ['a path to the parent directory', () => zipOf({ '../evil': 'x' }), /is outside the archive's directory/],
    [
      'a path that leaves its directory',
      () => zipOf({ 'good.txt': 'x', 'a/../../evil': 'x' }),
      /is outside the archive's directory/,
    ],
    ['an absolute path', () => zipOf({ '/tmp/recipewright-evil': 'x' }), /is outside the archive's directory/],
    ['a drive letter', () => zipOf({ 'C:/evil': 'x' }), /is a Windows path/],
    ['backslashes', () => zipOf({ '..\\evil': 'x' }), /is a Windows path/],
    ['a null byte in a name', () => zipOf({ 'a\0.png': 'x' }), /an invisible character/],
    ['a right-to-left override in a name', () => zipOf({ 'a\u202egnp.exe': 'x' }), /an invisible character/],
    [
      'a name that is not UTF-8',
      () => Buffer.from(zipOf({ aXb: 'x' }).toString('latin1').replaceAll('aXb', 'a\xffb'), 'latin1'),
      /not UTF-8/,
    ],
    ['a link', () => zipOf({ evil: link, 'evil/x': 'x' }), /is a link/],
    ['a device', () => zipOf({ evil: { content: '', mode: 0x2180 } }), /is a link or a special file/],
    ['two names that differ only in case', () => zipOf({ 'summary.json': '{}', 'Summary.json': '{}' }), /twice/],
    ['a file and a directory of the same name', () => zipOf({ a: 'x', 'a/b': 'x' }), /a file and a directory/],
    ['an entry that unpacks to far more than its size', () => zipOf({ bomb: zeros }), /unpacks to more than/],
    ['entries that share their bytes', () => overlapping(20), /entries of the archive overlap/],
    [
      'too many entries',
      () => zipOf(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`n${index}`, '']))),
      /10001 entries/,
    ],
    ['an encrypted entry', () => zipOf({ a: { content: 'x', flags: 1 } }), /encrypted/],
    ['no central directory', () => zipOf({ a: 'x' }).subarray(0, 40), /no directory at its end/],
  ])('an archive with %s is refused, and no file is written', ([, archive, why]) => {
    const parent = directory();
    const [file, dir] = [join(parent, 'evil.zip'), join(parent, 'in')];
    mkdirSync(dir);
    writeFileSync(file, archive());
    expect(() => unpackArchive(file, dir)).toThrow(UnsafeArchive);
    expect(() => unpackArchive(file, dir)).toThrow(why);
    expect(readdirSync(parent).sort()).toEqual(['evil.zip', 'in']);
    expect(readdirSync(dir)).toEqual([]);
    expect(existsSync('/tmp/recipewright-evil')).toBe(false);
    expect(() => verifyAnswer([file], {})).toThrow(why);
  });

  test('unpacking an archive stops at the total size limit', () => {
    const dir = directory();
    writeFileSync(join(dir, 'a.zip'), zipOf({ a: 'x'.repeat(60), b: { content: 'y'.repeat(60), stored: true } }));
    mkdirSync(join(dir, 'in'));
    expect(() => unpackArchive(join(dir, 'a.zip'), join(dir, 'in'), { ...zipLimits, totalBytes: 100 })).toThrow(
      /more than the remaining 40 bytes/,
    );
  });

  test('an archive of many small files that unpack to far more than their size is refused', () => {
    const dir = directory();
    const bombs = Array.from({ length: 12 }, (_, index) => [`bomb${index}`, Buffer.alloc(1_000_000)] as const);
    writeFileSync(join(dir, 'a.zip'), zipOf(Object.fromEntries(bombs)));
    mkdirSync(join(dir, 'in'));
    expect(() => unpackArchive(join(dir, 'a.zip'), join(dir, 'in'))).toThrow(
      /"bomb8" was not unpacked: the entry unpacks to more than/,
    );
  });

  test.for([
    ['at its top level', ''],
    ['in a directory', 'evidence/'],
  ])('an archive with a package %s is verified and compared like the package directory', async ([, below = '']) => {
    const { dir } = await richPackage();
    const file = join(directory(), 'evidence.zip');
    writeFileSync(file, zipped(dir, below));
    expect(verifyAnswer([file], {})).toMatchObject({ exitCode: 0, text: expect.stringContaining('Evidence: verified, pass') });
    expect(compareAnswer([file, dir], {})).toMatchObject({ exitCode: 0 });
    const changed = join(directory(), 'out');
    cpSync(dir, changed, { recursive: true });
    rmSync(join(changed, 'notes.log'));
    writeFileSync(file, zipped(changed, below));
    expect(verifyAnswer([file], {}).exitCode).toBe(1);
  });
});
