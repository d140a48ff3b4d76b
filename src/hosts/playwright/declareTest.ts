// Declares a test so that it stands in the JSON and asks only for the fixtures its nodes need.
import { runInThisContext } from 'node:vm';
import type { TestInfo } from '@playwright/test';
import type { test as recipeTest } from '../../../fixtures/recipeTest.js';
import { oneLine } from '../../document/printFinding.js';
import { compileAt } from './atPlace.js';
import type { Entry } from './entry.js';
import { createTest } from './internals.js';
import { type Identity, wire } from './wire.js';

export type Body = (fixtures: Record<string, unknown>, testInfo: TestInfo) => Promise<void>;

export function declareTest(test: typeof recipeTest, entry: Entry, body: Body): void {
  const { place, title, tags, isInvalid, skip } = entry;
  const details = { tag: tags, annotation: annotationsOf(entry) };
  // The one that ends the recipe comes last, so that its teardown still has the others.
  const fixtures = isInvalid || skip !== undefined ? [] : ['recipeDocument', ...entry.fixtures, 'recipeRun'];
  const asking = askingFor(fixtures.join(', '))(body);
  if (createTest(test, { kind: skip === undefined ? 'default' : 'skip', place, title, details }, asking)) return;
  // Playwright takes the place of a test from the caller's stack frame.
  const call = `test${skip === undefined ? '' : '.skip'}(title, details, body)`;
  compileAt<(...given: unknown[]) => void>(place, '(test, title, details, body) =>', call)(test, title, details, asking);
}

const known = new Map<string, (run: Body) => unknown>();

// Playwright takes a test's fixtures from the text of its function, so that is compiled, once for all tests that ask for the same.
function askingFor(names: string): (run: Body) => unknown {
  const text = `(run) => async ({ ${names} }, testInfo) => run({ ${names} }, testInfo)`;
  const asking = known.get(names) ?? (runInThisContext(text) as (run: Body) => unknown);
  known.set(names, asking);
  return asking;
}

type Annotation = { type: string; description: string };

function annotationsOf({ id, file, flow, isInvalid, claims, skip }: Entry): Annotation[] {
  const identity: Identity = { id, file, ...(isInvalid ? { invalid: true } : {}), ...(flow ? { flow: flow.id } : {}) };
  return [
    { type: wire.identity, description: JSON.stringify(identity) },
    ...claims.map((target) => ({ type: 'proof target', description: oneLine(`${target.id}: ${target.claim}`) })),
    ...(skip === undefined ? [] : [{ type: 'skip', description: skip }]),
  ];
}
