// Every field of the protocol with one typo gives an error, which suggests the right field.
import { expect, test } from 'vitest';
import { checkDocument } from '../../src/check/checkFile.js';
import { readDocument } from '../../src/document/readDocument.js';
import { declared, goodDocuments } from '../support/goodDocuments.js';
import { timeoutMs } from './runCount.js';

type Place = { keys: string[]; name: string };

/** Objects whose keys are chosen by the author. */
const maps = /(^|\.)(nodes|inputs|params|flows|env|paramsSchema|outputsSchema|properties|value|rw\.in)$/;

test('F6 a misspelled field gives an error, and at least 95 of 100 errors suggest the right field', {
  timeout: timeoutMs,
}, () => {
  let edits = 0;
  let suggested = 0;
  const withoutError: string[] = [];
  const withoutSuggestion: string[] = [];
  for (const { file, text } of goodDocuments()) {
    const value: unknown = JSON.parse(text);
    for (const place of fieldsIn(value, [])) {
      for (const typo of oneEdit(place.name)) {
        const broken = renameField(value, place, typo);
        if (broken === undefined) continue;
        edits++;
        const findings = checkDocument(readDocument(file, Buffer.from(JSON.stringify(broken))), declared).findings;
        const errors = findings.filter(({ severity }) => severity === 'error');
        const description = `${file} ${place.keys.join('.')} ${place.name} → ${typo}`;
        if (errors.length === 0) withoutError.push(description);
        else if (errors.some(({ hint, message }) => `${message} ${hint}`.includes(`"${place.name}"`))) suggested++;
        else withoutSuggestion.push(`${description}: ${errors.map(({ code }) => code).join(', ')}`);
      }
    }
  }
  expect(withoutError).toEqual([]);
  expect(edits).toBeGreaterThan(500);
  expect(suggested / edits, withoutSuggestion.slice(0, 20).join('\n')).toBeGreaterThanOrEqual(0.95);
});

function* fieldsIn(value: unknown, keys: string[]): Generator<Place> {
  if (typeof value !== 'object' || value === null) return;
  const named = !Array.isArray(value) && maps.test(keys.join('.'));
  if (/(^|\.)(paramsSchema|outputsSchema|value|params|inputs\.[^.]+)$/.test(keys.join('.'))) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!named && !Array.isArray(value) && key !== '$schema') yield { keys, name: key };
    yield* fieldsIn(inner, [...keys, key]);
  }
}

/** Returns typos of a name: one character is missing, doubled, swapped, replaced, added or in the other case. */
function oneEdit(name: string): string[] {
  const middle = Math.floor(name.length / 2);
  const at = name[middle] ?? '';
  const swapped = name.slice(0, middle - 1) + at + name[middle - 1] + name.slice(middle + 1);
  return [
    name.slice(0, middle) + name.slice(middle + 1),
    name.slice(0, middle) + at + name.slice(middle),
    ...(middle > 0 ? [swapped] : []),
    `${name.slice(0, middle)}x${name.slice(middle + 1)}`,
    (name[0] ?? '').toUpperCase() + name.slice(1),
    `${name}s`,
  ].filter((typo) => typo !== name && typo !== '');
}

function renameField(value: unknown, { keys, name }: Place, typo: string): unknown {
  const copy = structuredClone(value);
  let parent = copy as Record<string, unknown>;
  for (const key of keys) parent = parent[key] as Record<string, unknown>;
  if (Object.hasOwn(parent, typo)) return undefined;
  const entries = Object.entries(parent).map(([key, inner]) => [key === name ? typo : key, inner] as const);
  for (const key of Object.keys(parent)) delete parent[key];
  Object.assign(parent, Object.fromEntries(entries));
  return copy;
}
