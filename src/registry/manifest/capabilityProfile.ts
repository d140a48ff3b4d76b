// The model of a capability profile (spec §16), which lists what a domain plans to offer on each platform. It is for planning only:
// the action manifest declares the actions.

import * as z from 'zod';
import { nonEmptyText, schemaRef } from '../../evidence/models/fields.js';

const supportStatus = z
  .enum(['supported', 'partial', 'unsupported', 'planned'])
  .describe('Recipes can use a supported capability, and a partial one within its limits.');

/** A capability in a manifest. */
export const capabilityModel = z.looseObject({
  capability: nonEmptyText,
  status: supportStatus,
  description: z.string().nullish(),
  provider: z.string().nullish(),
  reason: z.string().nullish().describe('The limits of a partial capability, or why it is missing.'),
  platforms: z.array(nonEmptyText).nullish(),
  modes: z.array(nonEmptyText).nullish(),
  artifactTypes: z.array(nonEmptyText).nullish(),
});

const support = z
  .looseObject({
    status: supportStatus,
    reason: nonEmptyText.optional().describe('The limits of a partial capability, or why it is missing.'),
  })
  .refine(({ status, reason }) => status !== 'partial' || reason !== undefined, {
    path: ['reason'],
    message: 'Expected the limits of a partial capability',
  });

const row = z.looseObject({
  capability: nonEmptyText.describe('A name shared by all platforms: shop.ensure_cart.'),
  description: z.string().optional(),
  action: nonEmptyText.optional().describe('The action or flow that implements the capability, if it has another name.'),
  platforms: z.record(z.string(), support).refine((platforms) => Object.keys(platforms).length > 0, 'Expected a platform'),
});

export const capabilityProfileModel = z
  .looseObject({
    $schema: schemaRef,
    schema_version: z.literal(1),
    kind: z.literal('recipe-capability-profile'),
    owner: nonEmptyText.optional(),
    title: z.string().optional(),
    description: z.string().optional(),
    capabilities: z.array(row).min(1),
  })
  .superRefine(({ capabilities }, context) => {
    const seen = new Set<string>();
    for (const [index, { capability }] of capabilities.entries()) {
      if (seen.has(capability))
        context.addIssue({
          code: 'custom',
          path: ['capabilities', index, 'capability'],
          message: 'Expected every capability only once',
        });
      seen.add(capability);
    }
  });
