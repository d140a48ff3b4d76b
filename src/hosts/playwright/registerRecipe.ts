// Called by a shim: declares the recipe as a test that stands in the JSON and asks only for the fixtures its nodes need.
import { basename } from 'node:path';
import type { TestInfo } from '@playwright/test';
import { test as recipeTest } from '../../../fixtures/recipeTest.js';
import { needsOf } from '../../actions/action.js';
import { equip, namesIn } from '../../actions/equipment.js';
import type { Registry } from '../../actions/registry.js';
import type { Setup } from '../../actions/setup.js';
import { type Load, type Loaded, loadRecipe } from '../../check/loadRecipe.js';
import { isSecret } from '../../check/rules/inputs.js';
import { type Finding, hasErrors, type Place } from '../../document/finding.js';
import { joinPointer } from '../../document/pointer.js';
import { oneLine, printFinding } from '../../document/printFinding.js';
import { reachable } from '../../graph/plan.js';
import { recipeId } from '../../run/recipeId.js';
import { fixturesNeeded } from '../../run/targets.js';
import { compileAt, pointAt } from './atPlace.js';
import { declareDependencies, fixtureNames, lineAskedFor } from './internals.js';
import { documents, runInTest } from './recipeRun.js';
import { type Identity, wire } from './wire.js';

export type SetupModule = { default?: Setup; test?: typeof recipeTest };

export function registerRecipe(file: string, projectRoot: string, setup: SetupModule): void {
  const test = setup.test ?? recipeTest;
  const equipment = equip(setup.default ? { setup: setup.default } : {});
  const { registry } = equipment;
  const load = loadRecipe(file, { ...namesIn(equipment), registry, projectRoot });
  const { loaded } = load;
  declareDependencies(file, []);
  const findings = [...load.findings, ...(loaded ? [...missingFixtures(loaded, registry, test), ...secretsIn(loaded)] : [])];
  if (!loaded || hasErrors(findings)) {
    registerInvalid(test, { id: recipeId(file, projectRoot), file, invalid: true }, { findings, text: load.text });
    return;
  }
  const { recipe, origin } = loaded.compiled;
  const id = recipeId(file, projectRoot);
  const titled = origin(recipe.title === undefined ? '' : '/title');
  const asked = lineAskedFor(file);
  const place = asked === undefined || asked > load.text.split('\n').length ? titled : { file, line: asked, column: 1 };
  const tags = ['@recipe', ...recipe.proofTargets.map((target) => `@${target.id.replace(/\s+/g, '-')}`)];
  const identity: Identity = { id, file };
  documents.set(file, recipe.json);
  const annotation = [
    { type: wire.identity, description: JSON.stringify(identity) },
    ...recipe.proofTargets.map(claimAnnotation),
  ];
  const run = (fixtures: Record<string, unknown>, testInfo: TestInfo) =>
    runInTest({ id, loaded, equipment, projectRoot, place }, fixtures, testInfo);
  // The one that ends the recipe comes last, so that its teardown still has the others.
  declare(test, place, ['recipeDocument', ...fixturesNeeded(loaded, equipment), 'recipeRun'], {
    title: oneLine(recipe.title ?? '') || id,
    details: { tag: [...new Set(tags)], annotation },
    run,
  });
}

// Its traces, videos and reports keep what a page shows and what is typed, and nothing takes a secret out of them yet.
function secretsIn({ compiled: { recipe, origin } }: Loaded): Finding[] {
  return [...recipe.inputs]
    .filter(([, value]) => isSecret(value))
    .map(([name]) => {
      const path = joinPointer('/inputs', name);
      const message = `The secret ${JSON.stringify(name)} could not be kept in a Playwright test, so the recipe is not run there.`;
      const hint = 'A recipe without page actions runs with "recipewright run".';
      return { code: 'inputs.secret_ref', severity: 'error', path, place: origin(path), message, hint };
    });
}

// Playwright itself would refuse to run anything.
function missingFixtures({ compiled, plan }: Loaded, registry: Registry, test: typeof recipeTest): Finding[] {
  const known = fixtureNames(test);
  if (!known) return [];
  const nodes = [plan.main, ...(plan.teardown ? [plan.teardown] : [])].flatMap((region) => [...reachable(region)]);
  return nodes.flatMap(({ node: { recipe } }) => {
    const action = registry.get(recipe.action);
    const missing = action && needsOf(action, recipe).find((name) => !known.has(name));
    if (missing === undefined) return [];
    const path = joinPointer(recipe.pointer, 'action');
    const message = `${recipe.action} needs the fixture ${JSON.stringify(missing)}, which the test does not have.`;
    const hint = 'Add it to the "test" that the setup module exports.';
    return { code: 'action.missing_fixture', severity: 'error' as const, path, place: compiled.origin(path), message, hint };
  });
}

type Declaration = {
  title: string;
  details: { tag?: string[]; annotation?: { type: string; description?: string }[] };
  run: (fixtures: Record<string, unknown>, testInfo: TestInfo) => Promise<void>;
};

// Playwright takes the place of a test from the caller's stack frame and its fixtures from the function's text: both are compiled.
function declare(test: typeof recipeTest, place: Place, fixtures: readonly string[], { title, details, run }: Declaration): void {
  const names = fixtures.join(', ');
  const head = '(test, title, details, run) =>';
  const call = `test(title, details, async ({ ${names} }, testInfo) => run({ ${names} }, testInfo))`;
  compileAt<(...given: unknown[]) => void>(place, head, call)(test, title, details, run);
}

// A file that throws while it loads would keep Playwright from running anything, so it becomes one failing test.
function registerInvalid(test: typeof recipeTest, identity: Identity, { findings, text }: Load): void {
  const { file } = identity;
  const annotation = [{ type: wire.identity, description: JSON.stringify(identity) }];
  const errors = findings.filter((finding) => finding.severity === 'error');
  const place = errors[0]?.place ?? { file, line: 1, column: 1 };
  const run = async (): Promise<void> => {
    throw invalidError(errors, text, place);
  };
  declare(test, place, [], { title: `${basename(file)} is a valid recipe`, details: { tag: ['@recipe'], annotation }, run });
}

function invalidError(errors: readonly Finding[], text: string, place: Place): Error {
  // A line that ends in file:line:column would be taken for a frame of the stack.
  const shown = errors.map((finding) => printFinding(finding, text).replace(/^(.*:\d+:\d+)$/m, '$1 (document)'));
  const error = new Error(`The recipe is not valid:\n\n${shown.join('\n\n')}\n`);
  pointAt(error, place, 'recipe');
  return error;
}

function claimAnnotation({ id, claim }: { id: string; claim: string }): { type: string; description: string } {
  return { type: 'proof target', description: oneLine(`${id}: ${claim}`) };
}
