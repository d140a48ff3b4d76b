// The protocol reference's codes for what the models of a package refuse.
import type { Codes } from './models/modelFindings.js';

export const manifestCodes: Codes = [
  [/^version/, 'artifact_manifest.invalid_version'],
  [/^runStatus/, 'artifact_manifest.invalid_run_status'],
  [/^provenance$/, 'artifact_manifest.invalid_provenance'],
  [/^provenance\.runner$/, 'artifact_manifest.invalid_runner_provenance'],
  [/^provenance\.runner\./, 'artifact_manifest.invalid_runner_provenance_field'],
  [/^artifacts$/, 'artifact_manifest.invalid_artifacts'],
  [/^artifacts\.\d+$/, 'artifact_manifest.invalid_artifact'],
  [/^artifacts\.\d+\.path/, 'artifact_manifest.invalid_path'],
  [/^artifacts\.\d+\.type/, 'artifact_manifest.invalid_type'],
  [/^artifacts\.\d+\.covers/, 'artifact_manifest.invalid_covers'],
  [/^artifacts\.\d+\.record$/, 'artifact_manifest.invalid_record'],
  [/^artifacts\.\d+\.maxFps/, 'artifact_manifest.invalid_max_fps'],
  [/^artifacts\.\d+\.recorder$/, 'artifact_manifest.invalid_recorder'],
  [/^artifacts\.\d+\.recorder\.target$/, 'artifact_manifest.invalid_recorder_target'],
  [/^artifacts\.\d+\.recorder\.target\./, 'artifact_manifest.invalid_recorder_target_field'],
  [/^artifacts\.\d+\.recorder\./, 'artifact_manifest.invalid_recorder_field'],
  [/^artifacts\.\d+\./, 'artifact_manifest.invalid_optional_field'],
  [/^/, 'artifact_manifest.invalid_document'],
];

export const summaryCodes: Codes = [[/^/, 'artifact_package.invalid_summary']];

export const traceCodes: Codes = [
  [/^(entries\.)?\d+\.(nodeId|id)$/, 'artifact_package.invalid_trace_node', 'Name the node of recipe.json: "nodeId": "…".'],
  [/^(entries\.)?\d+(\.|$)/, 'artifact_package.invalid_trace_entry'],
  [/^/, 'artifact_package.invalid_trace'],
];
