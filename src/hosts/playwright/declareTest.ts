// Declares a test so that it stands in the JSON and asks only for the fixtures its nodes need.
import { runInThisContext } from 'node:vm';
import type { TestInfo } from '@playwright/test';
import { oneLine } from '../../document/printFinding.js';
import { compileAt } from './atPlace.js';
import type { Entry } from './entry.js';
import { createTest, sameText } from './internals.js';
import type { RecipeTest } from './recipeHost.js';
import { wire } from './wire.js';

export type Body = (fixtures: Record<string, unknown>, testInfo: TestInfo) => Promise<void>;

export function declareTest(test: RecipeTest, entry: Entry, body: Body): void {
  const { place, title, tags, isInvalid, skip } = entry;
  const details = { tag: tags, annotation: annotationsOf(entry) };
  // The one that ends the recipe comes last, so that its teardown still has the others.
  const fixtures = isInvalid || skip !== undefined ? [] : ['recipeDocument', ...entry.fixtures, 'recipeRun'];
  const asking = askingFor(fixtures.join(', '), body);
  if (createTest(test, { kind: skip === undefined ? 'default' : 'skip', place, title, details }, asking)) return;
  // Playwright takes the place of a test from the caller's stack frame.
  const call = `test${skip === undefined ? '' : '.skip'}(title, details, body)`;
  compileAt<(...given: unknown[]) => void>(place, '(test, title, details, body) =>', call)(test, title, details, asking);
}

type Asking = { make(run: Body): object; first?: object };

const known = new Map<string, Asking>();

// Playwright takes a test's fixtures from the text of its function, so that is compiled, once for all tests that ask for the same.
function askingFor(names: string, body: Body): object {
  const text = `(run) => async ({ ${names} }, testInfo) => run({ ${names} }, testInfo)`;
  const asking = known.get(names) ?? { make: runInThisContext(text) as Asking['make'] };
  known.set(names, asking);
  const made = asking.make(body);
  sameText(asking.first, made);
  asking.first ??= made;
  return made;
}

type Annotation = { type: string; description: string };

function annotationsOf({
  id,
  flow,
  isInvalid,
  problem = 'The recipe is not valid: nothing ran.',
  claims,
  skip,
}: Entry): Annotation[] {
  const annotations: Annotation[] = [{ type: wire.identity, description: id }];
  if (flow) annotations.push({ type: wire.flow, description: flow.id });
  if (isInvalid) annotations.push({ type: wire.problem, description: problem });
  for (const target of claims) annotations.push({ type: wire.claim, description: oneLine(`${target.id}: ${target.claim}`) });
  if (skip !== undefined) annotations.push({ type: 'skip', description: skip });
  return annotations;
}
