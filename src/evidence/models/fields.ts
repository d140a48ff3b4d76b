// Fields that several documents of a package share.

import * as z from 'zod';

export const nonEmptyText = z.string().min(1);

/** The page that a picture shows. */
export const pageFields = {
  url: z.string().optional().describe('The URL of the page in the picture.'),
  title: z.string().optional(),
  viewport: z.object({ width: z.number(), height: z.number() }).optional(),
};

export const count = z.int().min(0);
export const runStatus = z.enum(['pass', 'fail', 'unknown']);
export const causeClass = z.enum(['subject', 'environment', 'harness', 'unknown']).describe('The cause of a failure.');
export const schemaRef = z.string().optional().describe('The JSON Schema of this document, for editors.');
export const safePath = /^(?![A-Za-z]:)(?![\\/])(?!(?:.*[\\/])?\.\.(?:[\\/]|$)).+$/s;

/** Accepts any name. Editors suggest the known `words`. */
export function openEnum<const W extends readonly [string, ...string[]]>(words: W) {
  return z.union([z.enum(words), nonEmptyText], 'Expected a name');
}

export const runnerModel = z
  .looseObject({
    name: z.string().optional(),
    version: z.string().optional(),
    source: nonEmptyText.describe('The origin of the runner.'),
    git_ref: nonEmptyText.describe('The commit that the runner was built from.'),
  })
  .describe('The runner of the recipe.');
