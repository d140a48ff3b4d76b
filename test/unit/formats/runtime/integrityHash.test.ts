// The integrity hash of a manifest, and the JSON of Python from which it is computed.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { computeIntegrityHashes, verifyIntegrity, writeIntegrityHash } from '../../../../src/formats/runtime/integrityHash.js';
import { formatFloat, Numeral, parsePythonJson, writePythonJson } from '../../../../src/formats/runtime/python/pythonJson.js';
import { type ManifestRead, readManifest } from '../../../../src/formats/runtime/readManifest.js';
import { corpusText, hasCorpus } from './corpus.js';
import { compileManifest } from './runManifest.js';

type Expected = Record<string, string> & { file: string };
type CompleteRead = Required<Pick<ManifestRead, 'manifest' | 'withNumerals' | 'authoredTopology'>>;

describe.runIf(hasCorpus)('the hashes of the corpus documents (skipped without ../shared/corpus)', () => {
  const all = hasCorpus ? (JSON.parse(corpusText('integrity-expected.json')) as Expected[]) : [];

  test.for(all)('the hash of $file equals the recorded hash in all six variants', (expected) => {
    const hashes = computeIntegrityHashes(readManifest(corpusText(expected.file)) as CompleteRead);
    for (const [name, hash] of Object.entries(expected)) {
      const variant = /^H\d(?=_)(?!_text)/.exec(name)?.[0];
      if (variant !== undefined) expect([name, hashes[variant as 'H1']]).toEqual([name, hash]);
    }
  });
});

describe('the JSON of Python', () => {
  test.for([
    ['1.0', '1.0'],
    ['0.0', '0.0'],
    ['-0.0', '-0.0'],
    ['-0', '0'],
    ['1e16', '1e+16'],
    ['1e15', '1000000000000000.0'],
    ['1.5E-7', '1.5e-07'],
    ['0.0001', '0.0001'],
    ['0.00001', '1e-05'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ['5e-324', '5e-324'],
    ['12.50', '12.5'],
  ])('the number %s is printed as %s, like in Python', ([source = '', expected]) => {
    expect(writePythonJson(parsePythonJson(source))).toBe(expected);
  });

  test('a string that looks like an internal mark stays a string', () => {
    const text = JSON.stringify({ a: '\u0000n5', b: '\u0000s', c: 'n5', d: '\\u0000n5', e: 5 });
    expect(parsePythonJson(text)).toEqual({ a: '\u0000n5', b: '\u0000s', c: 'n5', d: '\\u0000n5', e: new Numeral('int', '5') });
  });

  test('a float without a fraction is printed with ".0"', () => {
    expect(formatFloat(3)).toBe('3.0');
  });
});

test('keys are sorted by code points, not by UTF-16 units', () => {
  expect(writePythonJson({ '\u{1f600}': 1, '\uffff': 2, a: 3 }, { compact: true })).toBe('{"a":3,"\uffff":2,"\u{1f600}":1}');
});

test('H1 is the hash of the topology with its defaults and without its null fields, printed like Python', () => {
  const topology =
    '{"edges":[],"nodes":[{"visual":{"x_y_coordinates":[0,1.5,"2"],"icon":null},"id":"é","type":"agent","agent_name":"A","config":{"n":1.0,"k":null}}]}';
  const text = `{"id":"r","version":"1.0.0","name":"n","interface":{"inputs":{},"outputs":{}},"state":{"schema":{}},"parameters":{},"topology":${topology}}`;
  const expected =
    '{"edges": [], "nodes": [{"agent_name": "A", "config": {"k": null, "n": 1.0}, "id": "é", "metadata": {}, "type": "agent", "visual": {"x_y_coordinates": [0.0, 1.5, 2.0]}}]}';
  expect(computeIntegrityHashes(readManifest(text) as CompleteRead).H1).toBe(createHash('sha256').update(expected).digest('hex'));
});

describe('an integrity hash', () => {
  const text = JSON.stringify({
    ...{ id: 'r', version: '1.0.0', name: 'n', interface: { inputs: {}, outputs: {} }, state: { schema: {} } },
    ...{ parameters: {}, integrity_hash: 'HASH' },
    topology: { nodes: [{ id: 'é', type: 'agent', agent_name: 'x', config: { empty: null } }], edges: [] },
  });
  const read = (hash: string): CompleteRead => readManifest(text.replace('HASH', hash)) as CompleteRead;
  const hashes = computeIntegrityHashes(read(''));

  test('an integrity hash is verified in each variant, with and without the prefix "sha256:"', () => {
    for (const [name, hash] of Object.entries(hashes)) {
      expect(verifyIntegrity(read(hash))).toEqual({ status: 'verified', by: name });
      expect(verifyIntegrity(read(`sha256:${hash.toUpperCase()}`))).toEqual({ status: 'verified', by: name });
    }
  });

  test('the six variants of the hash differ, because they treat nulls, defaults and spelling differently', () => {
    expect(new Set(Object.values(hashes)).size).toBe(6);
  });

  test('the hash of another topology is a mismatch, which contains the right hash', () => {
    expect(verifyIntegrity(read('0'.repeat(64)))).toEqual({ status: 'mismatch', expected: hashes.H1 });
  });

  test('a hash that is not a SHA-256 digest cannot be verified', () => {
    expect(verifyIntegrity(read('hash_123'))).toEqual({ status: 'unverifiable' });
    expect(verifyIntegrity(read('sha256:1234567890abcdef'))).toEqual({ status: 'unverifiable' });
  });
});

const codes = (value: string, level: 'compat' | 'strict') =>
  compileManifest(value, { level }).findings.map(({ code, severity, path }) => `${severity} ${code} ${path}`);

describe('writeIntegrityHash', () => {
  const text =
    '{\n  "id": "r", "version": "1.0.0", "name": "n",\n  "interface": {"inputs": {}, "outputs": {}},\n  "state": {"schema": {}}, "parameters": {"p": 1.0},\n  "topology": {"nodes": [{"id": "a", "type": "agent", "agent_name": "A", "config": {"t": 1.0, "u": 1e16}}], "edges": []}\n}\n';

  test('the written hash is valid, and the rest of the file does not change', () => {
    const hashed = writeIntegrityHash(text) ?? '';
    expect(codes(hashed, 'strict')).toEqual([]);
    expect(hashed.replace(/\s*"integrity_hash": "[0-9a-f]{64}",/, '')).toBe(text);
    expect(writeIntegrityHash(hashed)).toBe(hashed);
  });

  test('the written hash replaces an old hash or null', () => {
    const hashed = writeIntegrityHash(text) ?? '';
    expect(writeIntegrityHash(hashed.replace(/[0-9a-f]{64}/, 'a \\" b'))).toBe(hashed);
    expect(writeIntegrityHash(hashed.replace(/"[0-9a-f]{64}"/, 'null'))).toBe(hashed);
  });

  test('the hash no longer matches when a float becomes an int', () => {
    const hashed = writeIntegrityHash(text) ?? '';
    expect(codes(hashed.replace('"t": 1.0', '"t": 1'), 'compat')).toEqual(['warning runtime.integrity_mismatch /integrity_hash']);
  });

  test('no hash is written into a document that is not a manifest', () => {
    expect(writeIntegrityHash('{}')).toBeUndefined();
  });
});
