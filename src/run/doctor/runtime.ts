// Checks whether this machine has everything that a recipe needs: actions, preconditions, pages, programs and inputs.
import { resolve } from 'node:path';
import { missingPlaywrightHint } from '../../browser/launch/loadPlaywright.js';
import { listNodes } from '../../check/recipeNodes.js';
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

/** The codes of findings about the project and the machine. All other findings are about the recipe itself. */
const actionCodes = ['recipe.action_not_declared_by_manifest', 'action.not_supported'];
const gateCodes = ['recipe.precondition_not_declared_by_manifest'];
export const unreadableFileCodes = ['recipe.unreadable_catalog', 'workflow.unresolved_call_ref'];

export function examineRuntime(examined: ExaminedRecipe, tools: Tools, env: Env): Check[] {
  const { compiled, errors } = examined;
  const otherCodes = [...actionCodes, ...gateCodes, ...unreadableFileCodes];
  const recipeErrors = errors.filter(({ code }) => !otherCodes.includes(code));
  const recipeCheck = createFindingsCheck(recipeErrors, {
    id: 'runtime.recipe',
    passMessage: `${examined.file} is a valid recipe.`,
  });
  if (!compiled) return [recipeCheck];
  const actions = [...new Set(listNodes(compiled.recipe).map(({ node }) => node.action))];
  const gates = compiled.recipe.preConditions.map(({ id }) => id);
  return [
    recipeCheck,
    createFindingsCheck(filterByCode(errors, actionCodes), {
      id: 'runtime.actions',
      passMessage: `All actions of the recipe are available: ${actions.join(', ')}.`,
    }),
    createFindingsCheck(filterByCode(errors, gateCodes), {
      id: 'runtime.preconditions',
      passMessage:
        gates.length === 0
          ? 'The recipe has no preconditions.'
          : `All preconditions of the recipe have a checker: ${gates.join(', ')}.`,
    }),
    ...examinePage(examined, tools),
    ...examinePrograms(examined, env),
    ...examineInputs(examined, env),
  ];
}

export function filterByCode(errors: readonly Finding[], codes: readonly string[]): Finding[] {
  return errors.filter(({ code }) => codes.includes(code));
}

/** Makes one check of several findings. Its message quotes the first finding and counts the others. */
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
  const needed = `The recipe needs ${needs.join(', ')}`;
  const worksOverCdpPort = loaded && findBrowserDriverNeed(loaded, capabilities, needs) === undefined;
  if (!tools.hasPlaywright && worksOverCdpPort) return [checkCdpPort(needed, config.browser?.cdpPort)];
  if (!tools.hasPlaywright)
    return [fail('runtime.page', `${needed}, which only Playwright provides here.`, fixes['tools.playwright'])];
  // A run that attaches to a running app starts no browser.
  const startsBrowser = config.browser?.cdpPort === undefined;
  if (startsBrowser && needs.some((need) => browserFixtures.includes(need)) && !tools.hasBrowser)
    return [fail('runtime.page', `${needed}, and there is no browser.`, fixes['tools.browser'])];
  const otherCommand = needs.every((need) => browserFixtures.includes(need)) ? ' or "npx recipewright run"' : '';
  return [pass('runtime.page', `${needed}, which "npx playwright test"${otherCommand} provides.`)];
}

function checkCdpPort(needed: string, port: number | undefined): Check {
  if (port !== undefined) return pass('runtime.page', `${needed}, which the app at port ${port} provides.`);
  const fix = missingPlaywrightHint({ playwright: fixes['tools.playwright'] ?? '' }, undefined);
  return warn('runtime.page', `${needed}, which requires Playwright or --cdp-port.`, fix);
}

// Only the `argv` of commands is checked: a shell may find the programs of a `cmd` in other ways.
function examinePrograms({ compiled, projectRoot, capabilities }: ExaminedRecipe, env: Env): Check[] {
  const allNodes = compiled ? listNodes(compiled.recipe).map(({ node }) => node) : [];
  const nodes = allNodes.filter(({ fields }) => Array.isArray(fields.argv));
  const projectPrograms = allNodes.flatMap((node) => capabilities.registry.get(node.action)?.programs?.(node) ?? []);
  if (nodes.length === 0 && projectPrograms.length === 0) return [];
  const missingInArgv = nodes.flatMap((node) => missingProgram(node, projectRoot, env) ?? []);
  const missingInProject = projectPrograms.filter((name) => findProgramFrom(name, projectRoot, env) === undefined);
  const missing = [...new Set([...missingInArgv, ...missingInProject])];
  if (missing.length === 0) return [pass('runtime.programs', 'All programs that the recipe starts are installed.')];
  const list = missing.map((name) => JSON.stringify(name)).join(', ');
  const message = `There is no program ${list} in PATH or in the project.`;
  // An earlier node may build a program that has a path. A program that the config or the setup module names must exist before.
  const mayBeBuilt = missingInProject.length === 0 && missing.every(isPath);
  return [mayBeBuilt ? warn('runtime.programs', message) : fail('runtime.programs', message)];
}

function missingProgram({ fields: { argv, cwd, env: nodeEnv } }: RecipeNode, projectRoot: string, env: Env): string | undefined {
  const name: unknown = Array.isArray(argv) ? argv[0] : undefined;
  if (typeof name !== 'string' || referencesIn([name, cwd ?? '']).length > 0) return undefined;
  if (isPath(name)) return isProgram(resolve(projectRoot, typeof cwd === 'string' ? cwd : '.', name)) ? undefined : name;
  const setsPath = typeof nodeEnv === 'object' && nodeEnv !== null && 'PATH' in nodeEnv;
  return setsPath || findProgram(name, env) !== undefined ? undefined : name;
}

function isPath(name: string): boolean {
  return /[\\/]/.test(name);
}

// A missing input is only a warning, because --input can still supply the value.
function examineInputs({ compiled, config }: ExaminedRecipe, env: Env): Check[] {
  if (!compiled || compiled.recipe.inputs.size === 0) return [];
  const { findings } = resolveInputs(compiled, { env, config: config.inputs ?? {} });
  const missing = findings.filter(({ code }) => code === 'inputs.missing_value');
  const invalid = findings.filter(({ code }) => code !== 'inputs.missing_value');
  if (invalid.length > 0 || missing.length === 0)
    return [createFindingsCheck(invalid, { id: 'runtime.inputs', passMessage: 'All inputs of the recipe have values.' })];
  return missing.map(({ message, hint }) => warn('runtime.inputs', message, hint));
}

export function skipRecipe(recipe: string | undefined): Check {
  return recipe === undefined
    ? skip('runtime.recipe', 'No recipe given. Pass --recipe <file> to check a recipe too.')
    : skip('runtime.recipe', `${recipe} is not checked, because the config or the setup module of the project is invalid.`);
}
