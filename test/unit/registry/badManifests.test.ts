// Every code of an action manifest has a manifest with that one fault, a place in it, and a line in docs/findings.md.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readDocumentFile } from '../../../src/check/readDocumentFile.js';
import { fromManifest } from '../../../src/registry/manifest/fromManifest.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = join(root, 'test/corpus/bad/manifests');
const sources = join(root, 'src/registry/manifest');
const manifests = readdirSync(folder);
const codeOf = (name: string): string => name.replace(/\.json$/, '');

/** Finds whole codes, and codes that a helper function builds from a word of its caller. */
function codesIn(text: string): string[] {
  const whole = [...text.matchAll(/(?:'action_manifest|\$\{\w+\})\.([a-z_]+)/g)];
  const words = text.includes('`action_manifest.${') ? [...text.matchAll(/\breport\w*\(\s*'([a-z]+(?:_[a-z]+)+)'/g)] : [];
  return [...whole, ...words].map(([, code]) => `action_manifest.${code}`);
}

describe('a bad manifest', () => {
  test.for(manifests)('the bad manifest %s has the finding it is named after, and no other', (name) => {
    const file = join(folder, name);
    const { document, text, findings: read } = readDocumentFile(file);
    expect(read).toEqual([]);
    const { findings } = fromManifest(document?.value, document?.place);
    expect(findings.map(({ code }) => code)).toEqual([codeOf(name)]);
    const [finding] = findings;
    expect(finding?.place.file).toBe(file);
    expect(finding?.place.line).toBeLessThanOrEqual(text.split('\n').length);
    if (finding?.path) expect(finding.place).not.toMatchObject({ line: 1, column: 1 });
    expect(finding?.message).toMatch(/^\S.*\.$/);
    expect(finding?.hint).toMatch(/^[A-Z].*[.?]$/);
  });

  test('every code about manifests has a bad manifest, and a line in docs/findings.md', () => {
    const reported = new Set(readdirSync(sources).flatMap((name) => codesIn(readFileSync(join(sources, name), 'utf8'))));
    const rows = readFileSync(join(root, 'docs/findings.md'), 'utf8').matchAll(/^\| `(action_manifest\.\w+)` \| \S/gm);
    expect(manifests.map(codeOf).sort()).toEqual([...reported].sort());
    expect([...rows].map(([, code]) => code).sort()).toEqual([...reported].sort());
    expect(reported.size).toBeGreaterThan(50);
  });
});
