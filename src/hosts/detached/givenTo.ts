// What a run is told about itself, for recipes that ask: its id, its directory, and where its messages go.
import { loadDocument } from '../../check/loadRecipe.js';
import { recipeId } from '../../evidence/runIdentity.js';
import { runValues } from '../../formats/template/runNames.js';
import { findProjectRoot } from '../../system/project.js';
import type { RunPart } from '../plain/prepareRun.js';

export type Told = { run: string; stateDir: string; recipe: string; projectRoot?: string | undefined };

export function givenTo({ run, stateDir, recipe, projectRoot = findProjectRoot(recipe) }: Told): RunPart {
  return { id: recipeId(recipe, projectRoot), load: loadDocument, inputs: runValues({ run, stateDir }) };
}
