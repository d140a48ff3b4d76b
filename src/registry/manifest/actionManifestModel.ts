// The model of an action manifest, which lists the actions of a runner, in its classic shape (spec §15) and in its modern one.

import * as z from 'zod';
import { nonEmptyText, openEnum, schemaRef } from '../../evidence/models/fields.js';
import { capabilityModel } from './capabilityProfile.js';

const jsonSchema = z.record(z.string(), z.unknown()).describe('A JSON Schema of the fields of the action.');
const variesModel = z.literal('varies').describe('The value depends on the node.');

/** Facts about an action that recipewright adds to the protocol. Other runners may omit them. */
const actionFactFields = {
  effect: z
    .union([z.enum(['none', 'reads', 'user', 'backdoor']), variesModel])
    .optional()
    .describe("backdoor: the action changes state behind the user's back, so a proof must not use it."),
  asserts: z.union([z.boolean(), variesModel]).optional().describe('The action evaluates an assertion.'),
  captures: z.boolean().optional().describe('The action captures evidence.'),
  needs: z.array(nonEmptyText).optional().describe('Fixtures that the action needs from the host, such as page.'),
  secret_fields: z.array(nonEmptyText).optional().describe('Fields that may have a secret.'),
};

const classicExample = z.looseObject({ description: z.string().nullish(), node: z.looseObject({ action: nonEmptyText }) });

const catalogEntry = {
  description: z.string().nullish().describe('What the action does.'),
  when_to_use: z.string().nullish(),
  avoid_when: z.string().nullish(),
  proof_effect: z.string().nullish(),
  safety_notes: z.string().nullish(),
  schema: jsonSchema.nullish(),
  examples: z.array(classicExample).nullish(),
  ...actionFactFields,
};

const metadataModel = z.looseObject(catalogEntry);
const customActionModel = z.looseObject({
  name: nonEmptyText.describe('A name with a namespace: shop.ensure_cart.'),
  owner: z.string().nullish(),
  ...catalogEntry,
});

const observerModel = z.looseObject({ ref: nonEmptyText, default_for: z.array(nonEmptyText).optional() });

const stateRefModel = z
  .looseObject({
    name: nonEmptyText.optional(),
    ref: nonEmptyText.optional().describe('Another spelling of name, used in published manifests.'),
    description: z.string().nullish(),
    schema: jsonSchema.nullish(),
  })
  .refine(({ name, ref }) => (name ?? ref) !== undefined, { path: ['name'], message: 'Expected the name of the state' })
  .meta({ anyOf: [{ required: ['name'] }, { required: ['ref'] }] });

const preConditionModel = z.looseObject({
  id: nonEmptyText,
  description: z.string().nullish(),
  failure_kind: openEnum(['setup', 'environment', 'fixture', 'product', 'assertion', 'unknown']).nullish(),
});

export const classicManifestModel = z.looseObject({
  $schema: schemaRef,
  runner_protocol_version: z.literal(1),
  action_registry_version: z.literal(1),
  supported_official_actions: z.array(nonEmptyText).min(1),
  action_metadata: z.record(z.string(), metadataModel).nullish(),
  custom_actions: z.array(customActionModel).nullish(),
  custom_assertion_operators: z.array(z.looseObject({ name: nonEmptyText, description: z.string().nullish() })).nullish(),
  state_refs: z.array(stateRefModel).nullish(),
  pre_conditions: z.array(preConditionModel).nullish(),
  native_bindings: z.array(z.looseObject({ action: nonEmptyText, implementation: nonEmptyText })).nullish(),
  capabilities: z.array(capabilityModel).nullish().describe('For planning only. A runner executes no capability.'),
  observers: z.array(observerModel).nullish(),
});

const executionCapability = z.enum(['host-exec', 'host-read-export', 'app-mutation', 'external-mutation', 'arbitrary-code']);

export const modernActionModel = z.strictObject({
  description: nonEmptyText.describe('What the action does.'),
  schema: jsonSchema.optional(),
  adapters: unique(nonEmptyText).min(1).optional(),
  result_cases: unique(nonEmptyText).min(1).optional().describe('The cases that the action may return.'),
  examples: z.array(z.looseObject({ action: nonEmptyText })).min(1),
  execution_capabilities: unique(executionCapability).optional(),
});

export const modernManifestModel = z.strictObject({
  $schema: z.string(),
  actions: z.record(z.string(), modernActionModel).refine((actions) => Object.keys(actions).length > 0, 'Expected an action'),
  observers: z.array(z.strictObject({ ref: nonEmptyText, default_for: unique(nonEmptyText).min(1) })).optional(),
});

/** Accepts both shapes. Editors validate manifests with its schema. */
export const actionManifestModel = z.union([classicManifestModel, modernManifestModel]);

export type ClassicManifest = z.infer<typeof classicManifestModel>;
export type ModernManifest = z.infer<typeof modernManifestModel>;
export type CustomAction = z.infer<typeof customActionModel>;

function unique<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .refine((list) => new Set(list).size === list.length, 'Expected every name only once')
    .meta({ uniqueItems: true });
}
