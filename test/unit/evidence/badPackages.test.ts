// Every code of an evidence package has a package with that one fault, a place in it, and a line in docs/findings.md.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkPackage } from '../../../src/evidence/checkPackage.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = join(root, 'test/corpus/bad/packages');
const packages = readdirSync(folder);

/** Returns the codes in a source file. Some codes are built from a prefix and a word that is an argument. */
function codesIn(text: string): string[] {
  const whole = [...text.matchAll(/'(artifact_(?:manifest|package)\.(?!json)[a-z_]+)'/g)].map(([, code = '']) => code);
  const words = text.includes('`artifact_package.${')
    ? [...text.matchAll(/(?:\baddFinding\(\s*|\? |: )'([a-z]+(?:_[a-z]+)+)'/g)]
    : [];
  return [...whole, ...words.map(([, word]) => `artifact_package.${word}`)];
}

describe('a bad package', () => {
  test.for(packages)('the bad package %s has the finding with that code, and no other finding', (code) => {
    const dir = join(folder, code);
    const findings = checkPackage(dir);
    expect(findings.map((finding) => finding.code)).toEqual([code]);
    const [finding] = findings;
    const { file = '', line } = finding?.place ?? {};
    expect(file.startsWith(join(dir, '/'))).toBe(true);
    const isText = existsSync(file) && statSync(file).isFile();
    expect(line).toBeLessThanOrEqual(isText ? readFileSync(file, 'utf8').split('\n').length : 1);
    if (finding?.path) expect(finding.place).not.toMatchObject({ line: 1, column: 1 });
    expect(finding?.message).toMatch(/^\S.*\.$/);
    expect(finding?.hint).toMatch(/^[A-Z].*[.?]$/);
  });

  test('every code about packages has a bad package, and a line in docs/findings.md', () => {
    const sources = readdirSync(join(root, 'src/evidence'), { recursive: true, withFileTypes: true });
    const files = sources.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const reported = new Set(files.flatMap((file) => codesIn(readFileSync(file, 'utf8'))));
    const rows = readFileSync(join(root, 'docs/findings.md'), 'utf8').matchAll(/^\| `(artifact_\w+\.\w+)` \| \S/gm);
    expect([...packages].sort()).toEqual([...reported].sort());
    expect([...rows].map(([, code]) => code).sort()).toEqual([...reported].sort());
    expect(reported.size).toBeGreaterThan(30);
  });
});
