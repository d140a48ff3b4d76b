// Turns the recipe of a package into a plan that can be drawn. Does not need the project of the recipe.

import { createPlan } from '../../check/createPlan.js';
import { readDocument } from '../../document/readDocument.js';
import type { Plan } from '../../engine/plan.js';
import { recipeV1 } from '../../formats/classic/compile.js';
import { knownActions } from '../../registry/registry.js';
import type { BoardOptions } from './buildBoards.js';

export type RecipeGraph = { plan: Plan; options: BoardOptions };

/** These limits are high, because the recipe ran within the limits of its project. */
const readLimits = { bytes: 256_000_000, stringBytes: 64_000_000 };
const noLimits = { visitsPerNode: 1, stepsPerRun: 1, callDepth: Number.POSITIVE_INFINITY };

/** Returns a message instead of a graph when the recipe cannot be drawn. */
export function readGraph(recipe: unknown): RecipeGraph | string {
  if (recipe === undefined) return 'The package does not contain the recipe that ran.';
  const { document } = readDocument('recipe.json', Buffer.from(JSON.stringify(recipe)), readLimits);
  const compiled = document && recipeV1.detect(document) ? recipeV1.compile(document, missingFromPackage).compiled : undefined;
  if (!compiled) return 'The recipe in the package is not a valid Recipe v1 document, so it cannot be drawn.';
  const plan = createPlan(compiled, knownActions, noLimits);
  if ('code' in plan) return plan.message;
  return { plan, options: { vocabulary: knownActions, flows: compiled.recipe.flows, title: compiled.recipe.title } };
}

function missingFromPackage(): { problem: string } {
  return { problem: 'it is not part of the package.' };
}
