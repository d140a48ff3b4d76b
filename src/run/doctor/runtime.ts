// Whether what a recipe asks for can be executed here.
import { resolve } from 'node:path';
import { missingPlaywrightHint } from '../../browser/launch/loadPlaywright.js';
import { listNodesOnce } from '../../check/recipeNodes.js';
import type { Finding } from '../../document/finding.js';
import { referencesIn } from '../../engine/references.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { findProgram, findProgramFrom, isProgram } from '../../system/machine.js';
import { resolveInputs } from '../inputs/resolveInputs.js';
import { collectNeededFixtures, findBrowserDriverNeed } from '../recipeNeeds.js';
import { type Check, type CheckId, fail, fixes, pass, skip, warn } from './doctorCheck.js';
import type { ExaminedRecipe } from './examinedRecipe.js';
import type { Tools } from './tools.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Findings that are about the place rather than the recipe; all others are the recipe's own. */
const actionCodes = ['recipe.action_not_declared_by_manifest', 'action.not_supported'];
const gateCodes = ['recipe.precondition_not_declared_by_manifest'];
export const unreadableFileCodes = ['recipe.unreadable_catalog', 'workflow.unresolved_call_ref'];

export function examineRuntime(subject: ExaminedRecipe, tools: Tools, env: Env): Check[] {
  const { compiled, errors } = subject;
  const elsewhere = [...actionCodes, ...gateCodes, ...unreadableFileCodes];
  const own = errors.filter(({ code }) => !elsewhere.includes(code));
  const whole = createFindingsCheck(own, { id: 'runtime.recipe', passMessage: `${subject.file} is a valid recipe.` });
  if (!compiled) return [whole];
  const actions = [...new Set(listNodesOnce(compiled.recipe).map(({ node }) => node.action))];
  const gates = compiled.recipe.preConditions.map(({ id }) => id);
  return [
    whole,
    createFindingsCheck(filterByCode(errors, actionCodes), {
      id: 'runtime.actions',
      passMessage: `Its actions are known: ${actions.join(', ')}.`,
    }),
    createFindingsCheck(filterByCode(errors, gateCodes), {
      id: 'runtime.preconditions',
      passMessage: gates.length === 0 ? 'It has no preconditions.' : `Its preconditions have a checker: ${gates.join(', ')}.`,
    }),
    ...examinePage(subject, tools),
    ...examinePrograms(subject, env),
    ...examineInputs(subject, env),
  ];
}

export function filterByCode(errors: readonly Finding[], codes: readonly string[]): Finding[] {
  return errors.filter(({ code }) => codes.includes(code));
}

/** One check for all findings of a kind: the first in words, and how many more there are. */
export function createFindingsCheck(
  errors: readonly Finding[],
  { id, passMessage }: { id: CheckId; passMessage: string },
): Check {
  const [first] = errors;
  if (!first) return pass(id, passMessage);
  const more = errors.length > 1 ? ` There ${errors.length === 2 ? 'is 1' : `are ${errors.length - 1}`} more.` : '';
  const { file, line, column } = first.place;
  return fail(id, `${file}:${line}:${column}: ${first.message}${more}`, first.hint ?? fixes[id]);
}

const browserFixtures = ['page', 'context', 'browser'];

function examinePage({ loaded, capabilities, config }: ExaminedRecipe, tools: Tools): Check[] {
  const needs = loaded ? collectNeededFixtures(loaded, capabilities) : [];
  if (needs.length === 0) return [];
  const needed = `It needs ${needs.join(', ')}`;
  const canGoBare = loaded && findBrowserDriverNeed(loaded, capabilities, needs) === undefined;
  if (!tools.playwright && canGoBare) return [checkCdpPort(needed, config.browser?.cdpPort)];
  if (!tools.playwright) return [fail('runtime.page', `${needed}, which only Playwright gives here.`, fixes['tools.playwright'])];
  // An app that runs already is a browser itself.
  const starts = config.browser?.cdpPort === undefined;
  if (starts && needs.some((need) => browserFixtures.includes(need)) && !tools.browser)
    return [fail('runtime.page', `${needed}, and there is no browser.`, fixes['tools.browser'])];
  const ways = needs.every((need) => browserFixtures.includes(need)) ? ' or "npx recipewright run"' : '';
  return [pass('runtime.page', `${needed}, which it gets by "npx playwright test"${ways}.`)];
}

function checkCdpPort(needed: string, port: number | undefined): Check {
  if (port !== undefined) return pass('runtime.page', `${needed}, which it gets of the app at port ${port}.`);
  const fix = missingPlaywrightHint({ playwright: fixes['tools.playwright'] ?? '' }, undefined);
  return warn('runtime.page', `${needed}, and without Playwright that is only there with --cdp-port.`, fix);
}

// Shell text may find its programs in ways that only the shell knows.
function examinePrograms({ compiled, projectRoot, capabilities }: ExaminedRecipe, env: Env): Check[] {
  const all = compiled ? listNodesOnce(compiled.recipe).map(({ node }) => node) : [];
  const nodes = all.filter(({ fields }) => Array.isArray(fields.argv));
  const started = all.flatMap((node) => capabilities.registry.get(node.action)?.programs?.(node) ?? []);
  if (nodes.length === 0 && started.length === 0) return [];
  const named = nodes.flatMap((node) => missingProgram(node, projectRoot, env) ?? []);
  const own = started.filter((name) => findProgramFrom(name, projectRoot, env) === undefined);
  const missing = [...new Set([...named, ...own])];
  if (missing.length === 0) return [pass('runtime.programs', 'The programs it names are there.')];
  const list = missing.map((name) => JSON.stringify(name)).join(', ');
  const message = `There is no program ${list} in PATH or in the project.`;
  // One with a path may be built by a node before it is run; but no node builds what the project itself names.
  return [own.length === 0 && missing.every(isPath) ? warn('runtime.programs', message) : fail('runtime.programs', message)];
}

function missingProgram({ fields: { argv, cwd, env: own } }: RecipeNode, projectRoot: string, env: Env): string | undefined {
  const name: unknown = Array.isArray(argv) ? argv[0] : undefined;
  if (typeof name !== 'string' || referencesIn([name, cwd ?? '']).length > 0) return undefined;
  if (isPath(name)) return isProgram(resolve(projectRoot, typeof cwd === 'string' ? cwd : '.', name)) ? undefined : name;
  const hasOwnPath = typeof own === 'object' && own !== null && 'PATH' in own;
  return hasOwnPath || findProgram(name, env) !== undefined ? undefined : name;
}

function isPath(name: string): boolean {
  return /[\\/]/.test(name);
}

// A run may still be given them by --input.
function examineInputs({ compiled, config }: ExaminedRecipe, env: Env): Check[] {
  if (!compiled || compiled.recipe.inputs.size === 0) return [];
  const { findings } = resolveInputs(compiled, { env, config: config.inputs ?? {} });
  const open = findings.filter(({ code }) => code === 'inputs.missing_value');
  const wrong = findings.filter(({ code }) => code !== 'inputs.missing_value');
  if (wrong.length > 0 || open.length === 0)
    return [createFindingsCheck(wrong, { id: 'runtime.inputs', passMessage: 'Its inputs have values.' })];
  return open.map(({ message, hint }) => warn('runtime.inputs', message, hint));
}

export function skipRecipe(recipe: string | undefined): Check {
  return recipe === undefined
    ? skip('runtime.recipe', 'No recipe was named; with --recipe <file> it is looked at, too.')
    : skip('runtime.recipe', `${recipe} cannot be held to a project whose config or setup module is broken.`);
}
