import { expect, test } from 'vitest';
import type { Finding } from '../../../src/document/finding.js';
import { escapeControls, printFinding } from '../../../src/document/printFinding.js';

const finding: Finding = {
  code: 'workflow.missing_target',
  severity: 'error',
  path: '/nodes/a/next',
  place: { file: 'a.recipe.json', line: 2, column: 3 },
  message: 'Node "a" goes to "b", which does not exist.',
  hint: 'Did you mean "c"?',
};

test('a printed finding has the place, the code frame, the message and the hint', () => {
  expect(printFinding(finding, '{\n  "a": 1\n}')).toMatchInlineSnapshot(`
    "workflow.missing_target  a.recipe.json:2:3  /nodes/a/next
      1 | {
    > 2 |   "a": 1
        |   ^
      3 | }
      Node "a" goes to "b", which does not exist.
      Did you mean "c"?"
  `);
});

test.for([
  ['\u001b[31mred', '\\u{1b}[31mred'],
  ['a\u202eb', 'a\\u{202e}b'],
  ['::error::x', '\\::error::x'],
  ['a\n  ##[group]b', 'a\n  #\\#[group]b'],
  ['tab\tand é 漢 stay', 'tab\tand é 漢 stay'],
] as const)('control characters and commands are escaped in %j', ([text, escaped]) => {
  expect(escapeControls(text)).toBe(escaped);
});
