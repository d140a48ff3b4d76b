// Manifests come from other programs. A wrong value at any place has findings, and the declarations can still be read.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fromManifest } from '../../../src/registry/manifest/fromManifest.js';

type Key = string;

const good = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../../corpus/good/documents/action-manifest-v1--${name}.json`, import.meta.url), 'utf8'));
const schema = { properties: { device: { $ref: '#/definitions/device' } }, required: ['device'], definitions: { device: {} } };
const extended = { ...good('classic'), action_metadata: { 'ui.press': { schema } } };
const hostile = JSON.parse('{"__proto__":{"type":"string"}}');
const anything = [null, 7, '', 'x', true, [], {}, [null], { a: null }, hostile, { $ref: '#/nowhere' }, { type: 'objekt' }];

function* placesIn(value: unknown, path: readonly Key[] = []): Generator<readonly Key[]> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* placesIn(inner, [...path, key]);
}

function put(value: unknown, [key, ...rest]: readonly Key[], replacement: unknown): unknown {
  if (key === undefined) return replacement;
  const copy = structuredClone(value) as Record<Key, unknown>;
  copy[key] = put(copy[key], rest, replacement);
  return copy;
}

test.for([
  ['classic', good('classic')],
  ['modern', good('modern')],
  ['extended', extended],
] as const)('fromManifest never throws for the %s manifest with any value at any place', ([, manifest]) => {
  let checked = 0;
  for (const path of placesIn(manifest)) {
    for (const replacement of anything) {
      const { vocabulary, findings } = fromManifest(put(manifest, path, replacement));
      for (const { code, message } of findings)
        expect([code, message]).toEqual([expect.stringMatching(/^action_manifest\.\w/), expect.any(String)]);
      for (const { schema: fields } of vocabulary.values()) fields.safeParse({ device: 1, items: null });
      checked++;
    }
  }
  expect(checked).toBeGreaterThan(300);
  expect('type' in {}).toBe(false);
});
