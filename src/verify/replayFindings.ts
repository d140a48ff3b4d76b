// Whether the recipe of a package could have taken the path that its journal records.
import { join } from 'node:path';
import { createPlan } from '../check/checkFile.js';
import { readDocumentFile } from '../check/readDocumentFile.js';
import type { Finding } from '../document/finding.js';
import { digestOf } from '../evidence/digest.js';
import { recipeV1 } from '../formats/classic/compile.js';
import { knownActions } from '../registry/registry.js';
import { readPathKind } from '../system/files/files.js';
import type { Survey } from './surveyJournal.js';

/** The run had its own limits, which the journal does not tell; whether it kept to them is not the question here. */
const noLimits = {
  visitsPerNode: Number.POSITIVE_INFINITY,
  stepsPerRun: Number.POSITIVE_INFINITY,
  callDepth: Number.POSITIVE_INFINITY,
};

const readLimits = { bytes: 256_000_000, stringBytes: 64_000_000 };

export function replayFindings(dir: string, { run, recorder, file: journal }: Survey, vocabulary = knownActions): Finding[] {
  const file = join(dir, 'recipe.json');
  // A test that died before its recipe began leaves neither.
  if (!run || readPathKind(file) === undefined) return [];
  const { document, findings } = readDocumentFile(file, readLimits);
  if (!document) return findings;
  if (digestOf(document.value) !== run.recipe.digest) return [otherRecipe(file)];
  const { compiled } = recipeV1.compile(document, () => ({ problem: 'it is not part of the package.' }));
  if (!compiled) return [notARecipe(file)];
  const plan = createPlan(compiled, vocabulary, noLimits);
  if ('code' in plan) return [plan];
  const differs = recorder.differsFrom(plan);
  return differs === undefined ? [] : [impossible(journal, differs)];
}

function otherRecipe(file: string): Finding {
  return {
    ...{ code: 'package.recipe_mismatch', severity: 'error', path: '', place: { file, line: 1, column: 1 } },
    message: 'recipe.json is not the recipe that ran: the journal names another digest.',
    hint: 'The files of a package belong to one run: take all of them from the same run.',
  };
}

function notARecipe(file: string): Finding {
  return {
    ...{ code: 'package.recipe_mismatch', severity: 'error', path: '', place: { file, line: 1, column: 1 } },
    message: 'recipe.json is no Recipe v1 document, so the journal cannot be held against it.',
    hint: 'Take recipe.json from the run again: it holds the document that was executed, whatever was authored.',
  };
}

function impossible(file: string, differs: string): Finding {
  return {
    ...{ code: 'package.impossible_path', severity: 'error', path: '', place: { file, line: 1, column: 1 } },
    message: `The journal tells a run that the recipe cannot have taken: ${differs}.`,
    hint: 'The journal is of another recipe or was made up: take both from the same run.',
  };
}
