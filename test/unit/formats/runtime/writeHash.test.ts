import { describe, expect, test } from 'vitest';
import { writeHash } from '../../../../src/formats/runtime/writeHash.js';
import { compileManifest } from './runManifest.js';

const codes = (value: string, level: 'compat' | 'strict') =>
  compileManifest(value, { level }).findings.map(({ code, severity, path }) => `${severity} ${code} ${path}`);

describe('a hash that is written', () => {
  const text =
    '{\n  "id": "r", "version": "1.0.0", "name": "n",\n  "interface": {"inputs": {}, "outputs": {}},\n  "state": {"schema": {}}, "parameters": {"p": 1.0},\n  "topology": {"nodes": [{"id": "a", "type": "agent", "agent_name": "A", "config": {"t": 1.0, "u": 1e16}}], "edges": []}\n}\n';

  test('is verified, and nothing else of the text changes', () => {
    const hashed = writeHash(text) ?? '';
    expect(codes(hashed, 'strict')).toEqual([]);
    expect(hashed.replace(/\s*"integrity_hash": "[0-9a-f]{64}",/, '')).toBe(text);
    expect(writeHash(hashed)).toBe(hashed);
  });

  test('takes the place of another one, or of null', () => {
    const hashed = writeHash(text) ?? '';
    expect(writeHash(hashed.replace(/[0-9a-f]{64}/, 'a \\" b'))).toBe(hashed);
    expect(writeHash(hashed.replace(/"[0-9a-f]{64}"/, 'null'))).toBe(hashed);
  });

  test('no longer fits when a number is spelt as another kind of number', () => {
    const hashed = writeHash(text) ?? '';
    expect(codes(hashed.replace('"t": 1.0', '"t": 1'), 'compat')).toEqual(['warning runtime.integrity_mismatch /integrity_hash']);
  });

  test('is not written into what is no manifest', () => {
    expect(writeHash('{}')).toBeUndefined();
  });
});
