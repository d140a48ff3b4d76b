// The JSON Schemas of every document, generated from the models: schemas/ holds what this makes, and `recipewright schema` prints it.
import type { z } from 'zod';
import { lineModel } from '../evidence/journal.js';
import { artifactManifestModel } from '../evidence/models/artifactManifest.js';
import { suiteResultModel } from '../evidence/models/suiteResult.js';
import { summaryModel } from '../evidence/models/summary.js';
import { type Draft, toJsonSchema } from '../evidence/models/toJsonSchema.js';
import { traceModel } from '../evidence/models/trace.js';
import { catalogModel, recipeModel } from '../formats/classic/model.js';
import { flowSpecModel } from '../formats/flowSpec/model.js';
import { capabilityProfileModel } from './manifest/capabilityProfile.js';
import { doctorReportModel } from './manifest/doctorReport.js';
import { actionManifestModel } from './manifest/model.js';
import { withActionFields } from './nodeSchema.js';

type Json = Record<string, unknown>;

const documents: readonly (readonly [name: string, title: string, model: z.ZodType, draft?: Draft])[] = [
  ['recipe-v1', 'A recipe (Recipe Protocol v1)', recipeModel],
  ['flow-catalog-v1', 'A flow catalog (Recipe Protocol v1)', catalogModel],
  // Its name and its draft are those of the format.
  ['flow_spec', 'A flow-spec v1: its shape and limits', flowSpecModel, 'draft-2020-12'],
  ['action-manifest-v1', 'An action manifest: what a runner can execute', actionManifestModel],
  ['capability-profile-v1', 'A capability profile: what a domain offers on each platform', capabilityProfileModel],
  ['trace-v1', 'trace.json: what ran, in order', traceModel],
  ['summary-v1', 'summary.json: the verdict and the counts of a run', summaryModel],
  ['artifact-manifest-v1', 'artifact-manifest.json: what a run left behind', artifactManifestModel],
  ['journal-v1', 'One line of journal.jsonl', lineModel],
  ['doctor-report-v1', 'What a doctor says about this machine', doctorReportModel],
  ['suite-result-v1', 'The resolution of every case of a suite', suiteResultModel],
];

export const schemaTitles: ReadonlyMap<string, string> = new Map(documents.map(([name, title]) => [name, title]));

/** Undefined when there is no schema of this name. */
export function schemaOf(name: string): Json | undefined {
  const [, title, model, draft] = documents.find(([known]) => known === name) ?? [];
  if (!model) return undefined;
  const { $schema, ...rest } = toJsonSchema(model, draft);
  return { $schema, $id: `recipewright/schemas/${name}.schema.json`, title, ...withActionFields(rest) };
}
