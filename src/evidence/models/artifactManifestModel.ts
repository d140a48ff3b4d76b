// The model of artifact-manifest.json (spec §13), which lists the files of a package. Additional fields are allowed.

import * as z from 'zod';
import { count, nonEmptyText, openEnum, pageFields, runnerModel, runStatus, schemaRef } from './fields.js';

export const artifactTypes = [
  'screenshot',
  'video',
  'log',
  'trace',
  'summary',
  'json',
  'report',
  'metric',
  'diff',
  'recipe',
  'other',
] as const;

const recorder = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  platform: z.string().optional(),
  target: z.looseObject({ selector: nonEmptyText, value: nonEmptyText }).optional(),
});

export const artifactEntryModel = z.looseObject({
  path: nonEmptyText.describe('The path relative to the package, without "..".'),
  type: openEnum(artifactTypes),
  category: openEnum(['evidence', 'proof', 'debug', 'diagnostic', 'system']).nullish(),
  label: z.string().nullish(),
  nodeId: z.string().nullish().describe('The node that captured the artifact.'),
  proofTarget: z.string().nullish().describe('The claim that the artifact supports.'),
  covers: z.array(nonEmptyText).nullish().describe('All claims that the artifact supports, if there are several.'),
  mimeType: z.string().nullish(),
  record: z.enum(['full_run', 'proof_window', 'failure_only']).nullish(),
  maxFps: z.number().gt(0).nullish(),
  recorder: recorder.nullish(),
  ...pageFields,
  sha256: z.string().optional(),
  size: count.optional(),
});

export const artifactManifestModel = z.looseObject({
  $schema: schemaRef,
  version: z.literal(1),
  runStatus: runStatus.nullish(),
  provenance: z.looseObject({ runner: runnerModel.nullish() }).nullish(),
  artifacts: z.array(artifactEntryModel),
});

export type ArtifactManifestJson = z.infer<typeof artifactManifestModel>;
