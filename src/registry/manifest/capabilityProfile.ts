// A capability profile (spec §16): what a domain means to offer on each platform. It plans; the action manifest executes.
import * as z from 'zod';
import { nonEmptyText, schemaRef } from '../../evidence/models/fields.js';

export const supportStatus = z
  .enum(['supported', 'partial', 'unsupported', 'planned'])
  .describe('Only supported, and partial within its limits, can be called.');

/** One capability, as a manifest lists it. */
export const capabilityModel = z.looseObject({
  capability: nonEmptyText,
  status: supportStatus,
  description: z.string().nullish(),
  provider: z.string().nullish(),
  reason: z.string().nullish().describe('The limits of a partial one, or why it is not there.'),
  platforms: z.array(nonEmptyText).nullish(),
  modes: z.array(nonEmptyText).nullish(),
  artifactTypes: z.array(nonEmptyText).nullish(),
});

const support = z
  .looseObject({
    status: supportStatus,
    reason: nonEmptyText.optional().describe('The limits of a partial one, or why it is not there.'),
  })
  .refine(({ status, reason }) => status !== 'partial' || reason !== undefined, {
    path: ['reason'],
    message: 'Expected the limits of what is partial',
  });

const row = z.looseObject({
  capability: nonEmptyText.describe('A shared name: shop.ensure_cart.'),
  description: z.string().optional(),
  action: nonEmptyText.optional().describe('The action or flow that implements it, where its name differs.'),
  platforms: z.record(z.string(), support).refine((named) => Object.keys(named).length > 0, 'Expected a platform'),
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
        context.addIssue({ code: 'custom', path: ['capabilities', index, 'capability'], message: 'Expected it only once' });
      seen.add(capability);
    }
  });

export type CapabilityProfile = z.infer<typeof capabilityProfileModel>;
