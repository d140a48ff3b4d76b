// F13: no printed finding is a command for a terminal or a CI system, whatever strings a recipe contains.
import { expect, test } from 'vitest';
import { checkDocument } from '../../src/check/checkFile.js';
import { printFinding } from '../../src/document/printFinding.js';
import { readDocument } from '../../src/document/readDocument.js';
import { declared } from '../support/goodDocuments.js';
import { hostileTexts, isHostile } from '../support/hostileTexts.js';

test('F13 findings print forty hostile strings from ids, fields and values without control bytes and CI commands', () => {
  expect(hostileTexts.length).toBe(40);
  for (const text of hostileTexts) {
    const nodes = {
      [text]: { action: text, intent: text, [text]: text, next: text, assert: { operator: text, path: text, source: text } },
      done: { action: 'end', status: text },
    };
    const document = {
      schema_version: 1,
      title: text,
      [text]: 1,
      uses: [text],
      proofTargets: [{ id: text, claim: text }],
      validate: { workflow: { entry: text, nodes } },
    };
    const bytes = JSON.stringify(document, null, 2);
    const { findings } = checkDocument(readDocument('hostile.recipe.json', Buffer.from(bytes)), declared);
    expect(findings.length).toBeGreaterThan(3);
    for (const finding of findings) expect(isHostile(printFinding(finding, bytes))).toBe(false);
  }
});

test('F13 the detector of hostile bytes detects them', () => {
  for (const text of ['\u001b[2J', '\u202eabc', 'a\n::error::x', '\n##[set-output]', '\u0007', 'a\u2028b', '\u009b1m']) {
    expect(isHostile(text)).toBe(true);
  }
  expect(isHostile('plain: a::b # [c]\n  two\tlines')).toBe(false);
});
