// The hosts that an HTTP request may reach, and the facts that the action declares.
import { describe, expect, test } from 'vitest';
import { type Action, effectOf } from '../../../src/actions/action.js';
import { isAdmitted, isHostPattern } from '../../../src/actions/http/admittedHosts.js';
import { httpRequest } from '../../../src/actions/http/request.js';
import { loadDocument } from '../../../src/check/loadRecipe.js';
import { readDocument } from '../../../src/document/readDocument.js';
import type { RecipeNode } from '../../../src/recipe/recipe.js';
import { createRegistry } from '../../../src/registry/registry.js';
import { recipeOf } from '../../support/plain.js';

describe('the hosts of a request', () => {
  const admits = (url: string, allowHosts: readonly string[], baseURL?: string, ports: number[] = []) =>
    isAdmitted(new URL(url), { baseURL, allowHosts, servicePorts: new Set(ports) });

  test.for([
    ['https://api.example.com/x', 'api.example.com', true],
    ['https://api.example.com:8443/x', 'api.example.com', true],
    ['https://API.example.COM/', 'Api.Example.com', true],
    ['https://evil.com/?api.example.com', 'api.example.com', false],
    ['https://api.example.com.evil.com/', 'api.example.com', false],
    ['http://localhost:4000/', 'localhost:4000', true],
    ['http://localhost:4001/', 'localhost:4000', false],
    ['http://a.test/', 'a.test:80', true],
    ['https://a.test/', 'a.test:80', false],
    ['http://a.internal.test/', '*.internal.test', true],
    ['http://a.b.internal.test:99/', '*.internal.test', true],
    ['http://internal.test/', '*.internal.test', false],
    ['http://evilinternal.test/', '*.internal.test', false],
    ['http://[::1]:99/', '[::1]:99', true],
    ['http://xn--bcher-kva.example/', 'bücher.example', true],
  ] as const)('the URL %s with the entry %s: admitted is %s', ([url, entry, expected]) => {
    expect([isHostPattern(entry), admits(url, [entry], 'http://base.test')]).toEqual([true, expected]);
  });

  test.for([
    ['http://shop.test/', 'http://shop.test/app', true],
    ['http://shop.test:80/', 'http://shop.test', true],
    ['https://shop.test/', 'http://shop.test', false],
    ['http://127.0.0.1:3000/', 'http://localhost:3000', true],
    ['http://127.0.0.1:3001/', 'http://localhost:3000', false],
    ['http://localhost:9/', undefined, true],
    ['http://[::1]:9/', undefined, true],
    ['http://localhost.evil.com/', undefined, false],
    ['http://10.0.0.1/', undefined, false],
  ] as const)('the URL %s with the base URL %s: admitted is %s', ([url, baseURL, expected]) => {
    expect(admits(url, [], baseURL)).toBe(expected);
  });

  test('the port of a service of the run is admitted only on this machine', () => {
    expect(admits('http://127.0.0.1:4321/', [], 'http://shop.test', [4321])).toBe(true);
    expect(admits('http://evil.test:4321/', [], 'http://shop.test', [4321])).toBe(false);
  });

  test.for(['', '*', '*.', 'http://a.test', 'a.test/x', 'a b', 'me@a.test', 'a.*.test', 'a.test:x'])('%j is not a host', (text) =>
    expect(isHostPattern(text)).toBe(false),
  );
});

describe('the effect of a request', () => {
  const node = (fields: object, bound: string[] = []) =>
    ({ fields, bindings: new Map(bound.map((name) => [name, { source: 'a' }])) }) as unknown as RecipeNode;

  test.for([
    [{}, [], 'reads'],
    [{ method: 'GET' }, [], 'reads'],
    [{ method: 'HEAD' }, [], 'reads'],
    [{ method: 'OPTIONS' }, [], 'reads'],
    [{ method: 'POST' }, [], 'user'],
    [{ method: 'DELETE' }, [], 'user'],
    [{ method: '{{inputs.method}}' }, [], 'user'],
    [{ effect: '{{inputs.effect}}' }, [], 'user'],
    [{}, ['method'], 'user'],
    [{}, ['effect'], 'user'],
    [{ method: 'POST', effect: 'reads' }, [], 'reads'],
    [{ method: 'GET', effect: 'user' }, [], 'user'],
  ] as const)('the effect of a request with the fields %j and the bindings %j is %s', ([fields, bound, effect]) => {
    expect(effectOf(httpRequest as Action, node(fields, [...bound]))).toBe(effect);
  });
});

test('a request that could produce what the page has to show is a finding, unless the request only reads', () => {
  const codesFor = (patch: object) => {
    const proofTarget = 'AC1';
    const nodes = {
      patch: { action: 'http.request', url: '/api/total', proofTarget, next: 'see', ...patch },
      see: { action: 'ui.wait_for', test_id: 'total', proofTarget, next: 'shot' },
      shot: { action: 'ui.screenshot', proofTarget, next: 'done' },
    };
    const recipe = recipeOf(nodes, { proofTargets: [{ id: 'AC1', claim: 'The cart shows the total.' }] });
    const read = readDocument('a.recipe.json', Buffer.from(JSON.stringify(recipe)));
    return loadDocument(read, { projectRoot: '/', registry: createRegistry() }).findings.map(({ code }) => code);
  };
  expect(codesFor({ method: 'POST', json: { total: 3 } })).toEqual(['workflow.command_for_visible_target']);
  expect(codesFor({})).toEqual([]);
  expect(codesFor({ method: 'POST', effect: 'reads' })).toEqual([]);
});
