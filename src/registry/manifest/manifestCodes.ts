// The protocol reference's codes for what the models of a manifest refuse; a path ends with "?" where a field is unknown.
import { didYouMean } from '../../document/nearest.js';
import type { Codes } from '../../evidence/models/modelFindings.js';
import { modernActionModel, modernManifestModel } from './model.js';

const area = 'action_manifest';
const oneOf = (model: { shape: object }) => (name: string) => didYouMean(name, Object.keys(model.shape));
const entry = '(?:action_metadata\\.[^.]+|custom_actions\\.\\d+|actions\\.[^.]+)';

const shared: Codes = [
  [new RegExp(`^${entry}\\.schema`), `${area}.invalid_schema`],
  [new RegExp(`^${entry}\\.examples$`), `${area}.invalid_examples`],
  [new RegExp(`^${entry}\\.examples\\.\\d+$`), `${area}.invalid_example`],
  [new RegExp(`^${entry}\\.examples\\.\\d+\\.description`), `${area}.invalid_example_description`],
  [new RegExp(`^${entry}\\.examples\\.\\d+\\.node$`), `${area}.invalid_example_node`],
  [new RegExp(`^${entry}\\.examples\\.\\d+\\.(node\\.)?action`), `${area}.invalid_example_action`],
  [/^observers$/, `${area}.invalid_observers`],
  [/^observers\.\d+\..*\?$/, `${area}.unsupported_observer_field`, 'An observer has only "ref" and "default_for".'],
  [/^observers\.\d+\.ref/, `${area}.invalid_observer_ref`],
  [/^observers\.\d+\.default_for/, `${area}.invalid_observer_default_for`],
  [/^observers\./, `${area}.invalid_observer`],
];

export const classicCodes: Codes = [
  ...shared,
  [/^$/, `${area}.invalid_document`],
  [/^runner_protocol_version/, `${area}.invalid_runner_protocol_version`],
  [/^action_registry_version/, `${area}.invalid_action_registry_version`],
  [
    /^supported_official_actions$/,
    `${area}.invalid_supported_official_actions`,
    'List the official actions that the runner executes: ["command", "end"].',
  ],
  [/^supported_official_actions\./, `${area}.invalid_supported_action`],
  [/^custom_actions$/, `${area}.invalid_custom_actions`],
  [/^custom_actions\.\d+$/, `${area}.invalid_custom_action`, 'Write { "name": "shop.ensure_cart" }.'],
  [/^custom_actions\.\d+\.name/, `${area}.invalid_custom_action_name`],
  [/^(custom_actions|action_metadata)\.[^.]+\./, `${area}.invalid_metadata_field`],
  [/^action_metadata/, `${area}.invalid_action_metadata`],
  [/^(custom_assertion_operators|state_refs)$/, `${area}.invalid_declaration_array`],
  [/^(custom_assertion_operators|state_refs)\./, `${area}.invalid_declaration`, 'Write { "name": "shop.…" }.'],
  [/^pre_conditions$/, `${area}.invalid_pre_conditions`],
  [/^pre_conditions\.\d+\.id/, `${area}.invalid_pre_condition_id`],
  [/^pre_conditions\.\d+\.description/, `${area}.invalid_pre_condition_description`],
  [/^pre_conditions\./, `${area}.invalid_pre_condition`],
  [/^native_bindings$/, `${area}.invalid_native_bindings`],
  [/^native_bindings\.\d+\.action/, `${area}.invalid_native_binding_action`],
  [/^native_bindings\.\d+\.implementation/, `${area}.invalid_native_binding_implementation`],
  [/^native_bindings\./, `${area}.invalid_native_binding`],
  [/^capabilities\.\d+\.capability/, `${area}.invalid_capability_name`],
  [/^capabilities\.\d+\.status/, `${area}.invalid_capability_status`],
  [/^capabilities\.\d+\./, `${area}.invalid_capability_field`],
  [/^capabilities/, `${area}.invalid_capabilities`],
  [/./, `${area}.invalid_document`],
];

export const modernCodes: Codes = [
  [/^actions\.[^.]+\.description/, `${area}.missing_description`, 'Say in one sentence what the action does.'],
  [/^actions\.[^.]+\.examples$/, `${area}.missing_examples`, 'Show a node with this action: [{ "action": "…" }].'],
  ...shared,
  [/^$/, `${area}.invalid_document`],
  [/^[^.]+\?$/, `${area}.unsupported_field`, oneOf(modernManifestModel)],
  [/^\$schema/, `${area}.invalid_schema_ref`, 'Name the JSON Schema of the manifest: "$schema": "…".'],
  [/^actions$/, `${area}.invalid_actions`, 'Describe at least one action: { "command": { … } }.'],
  [/^actions\.[^.]+\.[^.]+\?$/, `${area}.unsupported_action_field`, oneOf(modernActionModel)],
  [/^actions\.[^.]+\.adapters/, `${area}.invalid_adapters`, 'List each name once, and at least one.'],
  [/^actions\.[^.]+\.result_cases/, `${area}.invalid_result_cases`, 'List each name once, and at least one.'],
  [/^actions\.[^.]+\.execution_capabilities\.\d+/, `${area}.unknown_execution_capability`],
  [
    /^actions\.[^.]+\.execution_capabilities/,
    `${area}.invalid_execution_capabilities`,
    'List each name once; write [] when it only reads.',
  ],
  [/^actions\./, `${area}.invalid_action`],
  [/./, `${area}.invalid_document`],
];
