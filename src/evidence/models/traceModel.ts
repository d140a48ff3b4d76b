// The model of trace.json (spec §12): a list of entries, or an object with that list in `entries`. Older traces name a node by `id`.

import * as z from 'zod';
import { causeClass, nonEmptyText, runnerModel, runStatus, schemaRef } from './fields.js';
import { loggedIssueModel } from './journalLine.js';

const entry = z
  .looseObject({
    nodeId: nonEmptyText.optional().describe('The node, or the path to it through calls: validate/call-child/assert.'),
    id: nonEmptyText.optional().describe('The name of nodeId in older traces.'),
    action: nonEmptyText,
    intent: z.string().optional(),
    phase: nonEmptyText.optional(),
    record: nonEmptyText.optional(),
    proofTarget: nonEmptyText.optional(),
    proves: z.array(nonEmptyText).optional(),
    artifacts: z.array(z.union([nonEmptyText, z.looseObject({ path: nonEmptyText })])).optional(),
    startedAt: z.string().optional(),
    endedAt: z.string().optional(),
    durationMs: z.number().min(0).optional(),
    ok: z.boolean().describe('Whether the node succeeded.'),
    next: nonEmptyText.nullish(),
    case: nonEmptyText.optional(),
    fired: z.array(z.int().min(0)).optional().describe('The indexes of its outgoing edges that fired, in document order.'),
    status: runStatus.optional().describe('The status of an end node.'),
    output: z.unknown().optional(),
    asserts: z.array(z.looseObject({ held: z.boolean() })).optional(),
    observations: z.record(z.string(), z.unknown()).optional(),
    observationWarnings: z.array(z.unknown()).optional(),
    issues: z.array(loggedIssueModel).optional().describe('Unexpected logs.'),
    error: z.string().nullish(),
    cause_class: causeClass.optional(),
    tolerated: z
      .looseObject({ error: z.string(), cause_class: causeClass })
      .optional()
      .describe('A failure that the recipe tolerates.'),
    unfinished: z.literal(true).optional().describe('The node was running when the run was cut short.'),
    /** Earlier attempts of the same visit. `entries` of an attempt has the nodes inside it. */
    get attempts() {
      return z.array(entry).optional();
    },
    get entries() {
      return z.array(entry).optional();
    },
  })
  .meta({ id: 'traceEntry', anyOf: [{ required: ['nodeId'] }, { required: ['id'] }] });

export const traceEntryModel = entry.refine(({ nodeId, id }) => (nodeId ?? id) !== undefined, {
  path: ['nodeId'],
  message: 'Expected the id of a node',
});

export const traceListModel = z.array(traceEntryModel);

export const traceEnvelopeModel = z.looseObject({
  $schema: schemaRef,
  metadata: z.looseObject({ runner: runnerModel.optional() }).optional(),
  entries: traceListModel,
});

export const traceModel = z.union([traceListModel, traceEnvelopeModel]);

export type TraceEntryJson = z.infer<typeof traceEntryModel>;
