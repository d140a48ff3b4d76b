// What a run is told about itself, for recipes that ask: its id, its directory, and where its messages go.
import { join } from 'node:path';
import { loadDocument } from '../../check/loadRecipe.js';
import { recipeId } from '../../run/recipeId.js';
import { projectRootOf } from '../../system/projectRoot.js';
import type { RunPart } from '../plain/prepareRun.js';
import { names } from './runState.js';

export const reserved = ['run_id', 'state_dir', 'communication_file', 'actor_address', 'default_room'] as const;

export type Told = { run: string; stateDir: string; recipe: string; projectRoot?: string | undefined };

export function givenTo({ run, stateDir, recipe, projectRoot = projectRootOf(recipe) }: Told): RunPart {
  const values: Record<(typeof reserved)[number], string> = {
    run_id: run,
    state_dir: stateDir,
    communication_file: join(stateDir, names.outbox),
    actor_address: `run:${run}`,
    default_room: run,
  };
  return { id: recipeId(recipe, projectRoot), load: loadDocument, inputs: values };
}
