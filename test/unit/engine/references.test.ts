import { expect, test } from 'vitest';
import { readKeys } from '../../../src/engine/jsonPath.js';
import {
  expandAssertion,
  expandForDisplay,
  expandReferences,
  type ReferenceLookup,
  referencesIn,
  UnresolvedReference,
} from '../../../src/engine/references.js';
import { cpuMs } from '../../support/cpuMs.js';

const params = { n: 3, flag: false, nothing: null, list: [1], deep: { 'a-b': { c: 'x' } }, sly: '{{params.n}}', money: '$& $1' };
const lookup: ReferenceLookup = (keys) => readKeys({ params, user: 'ann' }, keys);

test.each([
  ['{{params.n}}', 3],
  ['{{ params.flag }}', false],
  ['{{params.nothing}}', null],
  ['{{params.list}}', [1]],
  ['{{params.deep.a-b.c}}', 'x'],
  ['{{user}}', 'ann'],
])('a string that is just one reference becomes the value with its type: %s', (text, value) => {
  expect(expandReferences(text, lookup)).toEqual(value);
});

test('a reference inside a longer string becomes a string', () => {
  expect(expandReferences('{{user}} has {{params.n}} of {{params.list}}, {{params.flag}}, {{params.nothing}}', lookup)).toBe(
    'ann has 3 of [1], false, null',
  );
  expect(expandReferences(' {{params.n}}', lookup)).toBe(' 3');
});

test('the value of a reference is neither expanded again nor read as a replacement pattern', () => {
  expect(expandReferences('{{params.sly}}', lookup)).toBe('{{params.n}}');
  expect(expandReferences('<{{params.sly}}>', lookup)).toBe('<{{params.n}}>');
  expect(expandReferences('<{{params.money}}>', lookup)).toBe('<$& $1>');
});

test('two references in one string are both expanded, even side by side', () => {
  expect(expandReferences('{{user}}{{user}}', lookup)).toBe('annann');
  expect(expandReferences('{{user}} and {{user}}', lookup)).toBe('ann and ann');
});

test('references are expanded in values at any depth, but not in keys', () => {
  const value = { '{{user}}': ['{{user}}', { a: '{{params.n}}' }], keep: 1, none: null };
  expect(expandReferences(value, lookup)).toEqual({ '{{user}}': ['ann', { a: 3 }], keep: 1, none: null });
});

test('expanding references leaves the original value unchanged', () => {
  const value = Object.freeze({ a: Object.freeze(['{{user}}']) });
  expandReferences(value, lookup);
  expect(value).toEqual({ a: ['{{user}}'] });
});

test('expanding references keeps a key named __proto__ as an own property', () => {
  const value = expandReferences(JSON.parse('{ "__proto__": "{{user}}" }'), lookup) as object;
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toBe('ann');
});

test.each([
  'params.gone',
  'params.toString',
  'params.__proto__',
  'constructor',
  'params.list.length',
  'params.n.toFixed',
  'missing',
])('a reference finds own properties only: {{%s}} has no value', (name) => {
  expect(() => expandReferences(`{{${name}}}`, lookup)).toThrow(UnresolvedReference);
  expect(() => expandReferences(`in text: {{${name}}}`, lookup)).toThrow(`The reference {{${name}}} has no value.`);
});

test.each(['{{}}', '{{ }}', '{{1a}}', '{{a b}}', '{{a..b}}', '{ {user} }', '{{user}', '{{a[0]}}'])(
  '%s is not a reference',
  (text) => {
    expect(expandReferences(text, lookup)).toBe(text);
    expect(referencesIn(text)).toEqual([]);
  },
);

test('the references of a value are listed from any depth, in order', () => {
  expect(referencesIn({ a: '{{x}} {{ params.y }}', b: [{ c: '{{z}}' }, 1, null], '{{k}}': '' })).toEqual(['x', 'params.y', 'z']);
});

test.each([
  '{{.Names}} {{user}}',
  '{{ .Names }}{{user}}',
  '{{#each list}}{{user}}{{/each}}',
  '{{- user -}} {{user}}',
  '{{$x}} {{user}}',
  '{{"text"}} {{user}}',
  '{{range .}}{{user}}{{end}}',
  '{{if ok}}{{user}}{{else}}{{other}}{{end}}',
  '{{with x}}{{user}}{{end}}',
  '{{json .}} {{user}}',
  '{% if a %}{{user}}{% endif %} {{user.name}}',
])('flat names in a template of another language are not references: %s', (text) => {
  expect(expandReferences(text, lookup)).toBe(text);
  expect(expandForDisplay(text, lookup)).toBe(text);
  expect(referencesIn(text)).toEqual([]);
  expect(expandReferences(`${text} {{params.n}}`, lookup)).toBe(`${text} 3`);
});

test('the references of an assertion are expanded in its expected values only', () => {
  const assertion = {
    all: [
      { operator: 'contains', path: '$.a', value: 'n is {{params.n}}' },
      { any: [{ operator: 'eq', source: '{{user}}', value: '{{params.n}}' }, { none: [{ operator: 'truthy' }] }] },
    ],
  };
  expect(expandAssertion(assertion, lookup)).toEqual({
    all: [
      { operator: 'contains', path: '$.a', value: 'n is 3' },
      { any: [{ operator: 'eq', source: '{{user}}', value: 3 }, { none: [{ operator: 'truthy' }] }] },
    ],
  });
  const plain = { operator: 'eq', value: 1 };
  expect(expandAssertion(plain, lookup)).toBe(plain);
  expect(() => expandAssertion({ value: '{{gone}}' }, lookup)).toThrow(UnresolvedReference);
});

test.each([
  ['open references', '{{params '.repeat(20_000)],
  ['braces', '{'.repeat(200_000)],
  ['blanks', `{{${' '.repeat(100_000)}`.repeat(2)],
  ['dots', `{{a${'.a'.repeat(100_000)}`],
  ['references', '{{user}}'.repeat(20_000)],
])('a long string of %s is expanded in linear time', (_, text) => {
  expect(cpuMs(() => void expandForDisplay(text, lookup))).toBeLessThan(200);
});
