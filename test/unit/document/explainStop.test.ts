import { expect, test } from 'vitest';
import { readDocument } from '../../../src/document/readDocument.js';

const mistakes: readonly (readonly [text: string, at: string, path: string, message: RegExp, hint: RegExp])[] = [
  ['', '1:1', '', /it is empty/, /Write one JSON object/],
  ['  \n', '2:1', '', /it is empty/, /Write one JSON object/],
  ['{', '1:2', '', /the file ends .* the "\{" at line 1, column 1 is not closed/, /close the bracket with "}"/],
  ['{"a": [1,\n', '2:1', '/a/1', /the file ends where a value .* the "\[" at line 1, column 7/, /close the bracket with "\]"/],
  ['{"a": "b', '1:9', '/a', /the string that begins at line 1, column 7 is not closed/, /double quote/],
  ['["\\', '1:4', '/0', /is not closed/, /double quote/],
  ['{"a": "b\n"}', '1:9', '/a', /the line ends inside the string that begins at line 1, column 7/, /\\n/],
  ['{"a\u0007": 1}', '1:4', '', /U\+0007 is inside the string/, /\\u0007/],
  ['["\u001f"]', '1:3', '/0', /U\+001F is inside the string/, /\\u001f/],
  ['["\\x41"]', '1:3', '/0', /"\\x" is not an escape/, /backslash as \\\\/],
  ['["\\u12G4"]', '1:3', '/0', /"\\u12G4" is not an escape/, /four hexadecimal digits/],
  ['// hi\n{}', '1:1', '', /a comment begins/, /no comments/],
  ['{"a": 1, /* x */ "b": 2}', '1:10', '', /a comment begins/, /no comments/],
  ['{\n  "a": 1,\n}', '3:1', '', /there is a comma before the closing "}"/, /Remove the comma at line 2, column 9/],
  ['{"a": [1, ]}', '1:11', '/a', /there is a comma before the closing "\]"/, /line 1, column 9/],
  ["{'a': 1}", '1:2', '', /the quotation mark '/, /double quotes/],
  ['{"a": “b”}', '1:7', '/a', /the quotation mark “/, /double quotes/],
  ['{"a": NaN}', '1:7', '/a', /NaN is not a JSON value/, /Write a number, or null/],
  ['[-Infinity]', '1:2', '/0', /-Infinity is not a JSON value/, /Write a number, or null/],
  ['{"a": undefined}', '1:7', '/a', /undefined is not a JSON value/, /remove the key/],
  ['[1, 0x1F]', '1:5', '/1', /0x1F is not a JSON value/, /decimal/],
  ['[[0], 01]', '1:7', '/1', /01 is not a JSON value/, /no leading zero/],
  ['[+1]', '1:2', '/0', /\+1 is not a JSON value/, /no plus sign/],
  ['[True]', '1:2', '/0', /True is not a JSON value/, /Write true/],
  ['nul', '1:1', '', /nul is not a JSON value/, /double quotes/],
  ['{"a": 1 "b": 2}', '1:9', '', /a comma is missing before a string/, /Put a comma/],
  ['{"a": "say "hi""}', '1:13', '', /a comma is missing before hi/, /as \\"/],
  ['[{} {}]', '1:5', '', /a comma is missing before "\{"/, /Put a comma/],
  ['{"a" 1}', '1:6', '/a', /found 1 where ":" was expected/, /colon/],
  ['{a: 1}', '1:2', '', /the key a is not in quotes/, /Write "a"/],
  ['{"x": {"a": [1}}', '1:15', '/x/a', /found "}" where "," or "\]" was expected/, /Close the "\[" at line 1, column 13/],
  ['{} x', '1:4', '', /found x after the end of the document/, /has one document/],
  ['[1,,2]', '1:4', '/1', /found "," where a value was expected/, /Remove it/],
  ['{\u00a0}', '1:2', '', /an invisible character, U\+00A0/, /plain space/],
  ['\ufeff\ufeff{}', '1:1', '', /an invisible character, U\+FEFF/, /Remove the character/],
  [`[${'9'.repeat(4_000_000)}x]`, '1:2', '/0', /: 9{40}… is not a JSON value/, /number/],
  ['😀', '1:1', '', /found "😀" where a value was expected/, /Remove it/],
];

test.for(mistakes.map((mistake) => [mistake[0].slice(0, 30), mistake] as const))(
  'a document that is not JSON is refused with its mistake and a hint: %j',
  ([, mistake]) => {
    const [text, at, path, message, hint] = mistake;
    const { document, findings } = readDocument('a.json', Buffer.from(text));
    expect(document).toBeUndefined();
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ code: 'document.invalid_json', severity: 'error', path });
    expect(`${findings[0]?.place.line}:${findings[0]?.place.column}`).toBe(at);
    expect(findings[0]?.message).toMatch(/^The file is not valid JSON: .*\.$/);
    expect(findings[0]?.message).toMatch(message);
    expect(findings[0]?.hint).toMatch(hint);
  },
);
