// Fields that several documents of a package share.
import * as z from 'zod';

export const nonEmptyText = z.string().min(1);
/** Of a picture: the page it shows. */
export const pageFields = {
  url: z.string().optional().describe('Of the page that a picture shows.'),
  title: z.string().optional(),
  viewport: z.object({ width: z.number(), height: z.number() }).optional(),
};

export const count = z.int().min(0);
export const runStatus = z.enum(['pass', 'fail', 'unknown']);
export const causeClass = z.enum(['subject', 'environment', 'harness', 'unknown']).describe('Whose fault a failure is.');
export const schemaRef = z.string().optional().describe('The JSON Schema of this document, for editors.');
export const safePath = /^(?![A-Za-z]:)(?![\\/])(?!(?:.*[\\/])?\.\.(?:[\\/]|$)).+$/s;

/** Known words that editors offer; a project may use its own. */
export function openEnum<const W extends readonly [string, ...string[]]>(words: W) {
  return z.union([z.enum(words), nonEmptyText], 'Expected a name');
}

export const runnerModel = z
  .looseObject({
    name: z.string().optional(),
    version: z.string().optional(),
    source: nonEmptyText.describe('Where the runner comes from.'),
    git_ref: nonEmptyText.describe('The commit it was built from.'),
  })
  .describe('Who ran the recipe.');
