// Faults in documents that the rules detect: F5, F7, F23. documents.test.ts has the faults that the reader detects, and test/property has
// random documents.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkDocument, checkFile } from '../../src/check/checkFile.js';
import { readDocument } from '../../src/document/readDocument.js';
import { declared, goodDocuments } from '../support/goodDocuments.js';
import { recipe, say } from '../support/recipe.js';

const check = (text: string) => checkDocument(readDocument('a.recipe.json', Buffer.from(text)), declared);
const errorsOf = (text: string) => check(text).findings.filter(({ severity }) => severity === 'error');

test('F5 keys such as __proto__ at every object of every good document change no prototype and resolve to no value', () => {
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  let checked = 0;
  for (const { text } of goodDocuments()) {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      for (const changed of withKeyEverywhere(JSON.parse(text), key)) {
        checked++;
        const { findings } = check(changed);
        for (const { message } of findings) expect(message).not.toMatch(/native code|\[object/);
      }
    }
  }
  expect(checked).toBeGreaterThan(200);
  expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test('F5 the name of an inherited property is an unknown node, unless the recipe has a node of that name', () => {
  for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
    const leads = JSON.stringify(recipe({ a: say('x', { next: name }), done: { action: 'end', status: 'pass' } }));
    expect(errorsOf(leads).map(({ code }) => code)).toEqual(['workflow.missing_target', 'workflow.no_reachable_terminal']);
    const own = `{"schema_version":1,"validate":{"workflow":{"entry":${JSON.stringify(name)},"nodes":{${JSON.stringify(name)}:{"action":"end","status":"pass"}}}}}`;
    expect(errorsOf(own)).toEqual([]);
    expect(check(own).compiled?.recipe).toMatchObject({ entry: name });
  }
});

test('F5 a broken node named __proto__ is refused like any other', () => {
  const text = '{"schema_version":1,"validate":{"workflow":{"entry":"__proto__","nodes":{"__proto__":{"next":5}}}}}';
  expect(errorsOf(text).map(({ code, path }) => `${code} ${path}`)).toContain(
    'workflow.invalid_action /validate/workflow/nodes/__proto__/action',
  );
});

test('F7 a timeout must be a whole number from 1 to 86,400,000', () => {
  const refused = [
    '-1',
    '0',
    '0.5',
    '1.5',
    '86400001',
    '2147483647',
    '2147483648',
    '1e400',
    '"5s"',
    '"5000"',
    'null',
    'true',
    '[5]',
    '{}',
  ];
  expect(refused).toHaveLength(14);
  const withTimeout = (json: string) => JSON.stringify(recipe({ a: say('x', { timeout_ms: 'HERE' }) })).replace('"HERE"', json);
  for (const json of refused) {
    const [finding, ...others] = errorsOf(withTimeout(json));
    expect([json, finding?.path, others]).toEqual([json, '/validate/workflow/nodes/a/timeout_ms', []]);
  }
  for (const json of ['1', '86400000']) expect(errorsOf(withTimeout(json))).toEqual([]);
  for (const json of ['NaN', 'Infinity', '-Infinity', '0x10']) {
    expect(errorsOf(withTimeout(json)).map(({ code }) => code)).toEqual(['document.invalid_json']);
  }
});

describe('F23 the catalogs of a recipe', () => {
  const outside = mkdtempSync(join(tmpdir(), 'outside-'));
  const root = join(outside, 'project');
  afterAll(() => rmSync(outside, { recursive: true }));
  const catalog = JSON.stringify({
    schema_version: 1,
    kind: 'recipe-flow-catalog',
    flows: {
      'shop.mark': {
        version: 1,
        description: 'Writes the marker.',
        workflow: {
          entry: 'write',
          nodes: {
            write: { action: 'command', intent: 'Write the marker of the flow', cmd: 'touch marker', next: 'done' },
            done: { action: 'end', status: 'pass' },
          },
        },
      },
    },
  });
  const put = (file: string): void => {
    mkdirSync(dirname(join(outside, file)), { recursive: true });
    writeFileSync(join(outside, file), catalog);
  };
  for (const file of ['secret.flows.json', 'project/flows/shop.flows.json', 'project/recipes/local.flows.json']) put(file);
  for (const file of ['project/node_modules/@shop/flows/shop.flows.json', 'node_modules/hoisted/shop.flows.json']) put(file);
  symlinkSync(join(outside, 'secret.flows.json'), join(root, 'flows/link.flows.json'));

  function errorsWith(uses: string, aliases?: ReadonlyMap<string, string>) {
    const file = join(root, 'recipes/a.recipe.json');
    const call = { action: 'call', intent: 'Write the marker by the flow', ref: 'shop.mark' };
    writeFileSync(file, JSON.stringify(recipe({ call }, { uses: [uses] })));
    const { findings } = checkFile(file, { ...declared, projectRoot: root, ...(aliases ? { aliases } : {}) });
    return findings.filter(({ severity }) => severity === 'error');
  }

  test.for([
    'local.flows.json',
    'flows/shop.flows.json',
    '../flows/shop.flows.json',
    '@shop/flows/shop.flows.json',
    'hoisted/shop.flows.json',
  ])('a catalog in the project or in an installed package is read: %s', (uses) => {
    expect(errorsWith(uses)).toEqual([]);
  });

  test('a catalog is read by an alias', () => {
    expect(errorsWith('the-shop', new Map([['the-shop', 'flows/shop.flows.json']]))).toEqual([]);
  });

  test.for([
    '../../secret.flows.json',
    join(outside, 'secret.flows.json'),
    'flows/link.flows.json',
    'https://example.test/shop.flows.json',
    `file://${join(outside, 'secret.flows.json')}`,
    '@shop/flows/../../../../secret.flows.json',
    'hoisted/../../secret.flows.json',
    'not-installed/shop.flows.json',
  ])('a catalog outside the project and its packages is refused: %s', (uses) => {
    const errors = errorsWith(uses);
    expect(errors.map(({ code }) => code)).toContain('recipe.unreadable_catalog');
    expect(errors[0]?.path).toBe('/uses/0');
  });
});

function* withKeyEverywhere(root: unknown, key: string): Generator<string> {
  const objects: object[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) objects.push(value);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(root);
  for (const object of objects) {
    for (const value of [{ polluted: true, action: 'end', status: 'pass' }, 'text']) {
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true });
      yield JSON.stringify(root);
      Reflect.deleteProperty(object, key);
    }
  }
}
