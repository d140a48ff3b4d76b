// Turns the issues of the model into findings, with the codes of the protocol's reference implementation where it has them.

import { didYouMean } from '../../document/didYouMean.js';
import type { Finding, Place } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { readKeys } from '../../engine/jsonPath.js';
import { assertionFields, catalogModel, flowModel, nodeModel, proofTargetModel, recipeModel, workflowModel } from './model.js';
import type { Issue } from './readShape.js';

export function shapeFindings(value: unknown, issues: readonly Issue[], place: (pointer: string) => Place): Finding[] {
  return issues.map((issue) => {
    const { keys, unknown } = issue;
    const path = joinPointer('', ...keys);
    if (unknown !== undefined) return { ...unknownField(keys, unknown), severity: 'error', path, place: place(path) };
    const isMissing = keys.length > 0 && !readKeys(value, keys).found;
    return {
      code: codeOf(keys, isMissing),
      severity: 'error',
      path,
      place: place(isMissing ? joinPointer('', ...keys.slice(0, -1)) : path),
      message: describeIssue(issue, value, isMissing),
    };
  });
}

const issueCodes: readonly [pattern: RegExp, code: string, ifMissing?: string][] = [
  [/^$/, 'recipe.invalid_document'],
  [/^schema_version$/, 'recipe.unsupported_schema_version', 'recipe.missing_schema_version'],
  [/^title$/, 'recipe.invalid_title'],
  [/^description$/, 'recipe.invalid_description'],
  [/^validate$/, 'recipe.missing_validate'],
  [/^validate\.workflow$/, 'recipe.missing_workflow'],
  [/^validate\.workflow\.entry$/, 'workflow.invalid_entry'],
  [/^validate\.workflow\.nodes$/, 'workflow.invalid_nodes'],
  [/^validate\.workflow\.playback$/, 'workflow.invalid_playback'],
  [/^validate\.workflow\.playback\.mode$/, 'workflow.invalid_playback_mode'],
  [/^validate\.workflow\.playback\.slow_ms$/, 'workflow.invalid_playback_slow_ms'],
  [/^validate\.workflow\.pre_conditions$/, 'workflow.invalid_pre_conditions'],
  [/^validate\.workflow\.pre_conditions\.\d+\.id$/, 'workflow.invalid_pre_condition_id'],
  [/^validate\.workflow\.pre_conditions\.\d+\.description$/, 'workflow.invalid_pre_condition_description'],
  [/^validate\.workflow\.pre_conditions\.\d+\.params$/, 'workflow.invalid_pre_condition_params'],
  [/^validate\.workflow\.pre_conditions\.\d+\.required$/, 'workflow.invalid_pre_condition_required'],
  [/^validate\.workflow\.pre_conditions\./, 'workflow.invalid_pre_condition'],
  [/^validate\.workflow\.(setup|teardown)$/, 'workflow.invalid_lifecycle'],
  [/^flows$/, 'flow.invalid_flows'],
  [/^flows\.[^/]+\.entry$/, 'flow.invalid_entry'],
  [/^flows\.[^/]+\.nodes$/, 'flow.invalid_nodes'],
  [/^flows\..*\.action$/, 'flow.invalid_action'],
  [/^flows\..*\.nodes\./, 'flow.invalid_node'],
  [/^flows\./, 'flow.invalid_flow'],
  [/^startState/, 'workflow.invalid_start_state'],
  [/\.phase$/, 'workflow.invalid_phase'],
  [/\.record$/, 'workflow.invalid_record'],
  [/^validate\.workflow\.(setup|teardown)/, 'workflow.invalid_lifecycle_node'],
  [/\.action$/, 'workflow.invalid_action'],
  [/\.cases\.\d+\.next$/, 'workflow.invalid_case_target'],
  [/\.cases\.\d+/, 'workflow.invalid_case'],
  [/\.cases$/, 'workflow.invalid_cases'],
  [/\.next$/, 'workflow.invalid_next'],
  [/\.default$/, 'workflow.invalid_default'],
  [/\.params$/, 'workflow.invalid_call_params'],
  [/^validate\.workflow\.nodes\./, 'workflow.invalid_node'],
];

/** Joins the keys to a path that the patterns in this file match. A dot inside a key must not look like a separator. */
function dottedPath(keys: readonly string[]): string {
  return keys.map((key) => key.replaceAll('.', '_')).join('.');
}

function codeOf(keys: readonly string[], isMissing: boolean): string {
  const path = dottedPath(keys);
  const [, code = 'recipe.invalid_document', ifMissing = code] = issueCodes.find(([pattern]) => pattern.test(path)) ?? [];
  return isMissing ? ifMissing : code;
}

function describeIssue({ keys, message }: Issue, value: unknown, isMissing: boolean): string {
  const name = keys.at(-1) ?? 'The document';
  if (isMissing) return `${JSON.stringify(name)} is required here.`;
  const read = readKeys(value, keys);
  const received = read.found ? JSON.stringify(read.value) : undefined;
  const suffix = received !== undefined && received.length <= 60 ? `, but it is ${received}` : '';
  return `${JSON.stringify(name)}: ${message.replace(/, received .*$/, '')}${suffix}.`;
}

const knownFields: readonly [pattern: RegExp, fields: readonly string[]][] = [
  [/^validate$/, ['workflow']],
  [/^validate\.workflow$/, Object.keys(workflowModel.shape)],
  [/^validate\.workflow\.playback$/, ['mode', 'slow_ms']],
  [/^validate\.workflow\.pre_conditions\.\d+$/, ['id', 'description', 'params', 'required']],
  [/^proofTargets\.\d+$/, Object.keys(proofTargetModel.shape)],
  [/^fail_on_unexpected$/, ['enabled', 'levels', 'allow']],
  [/^flows\.[^.]+$/, Object.keys(flowModel.shape)],
  [/^flows\.[^.]+\.workflow$/, ['entry', 'nodes']],
  [/\.rw$/, ['on_fail', 'retry', 'in', 'cases', 'proves', 'templates']],
  [/\.rw\.retry$/, ['max', 'recover']],
  [/\.rw\.in\.[^.]+$/, ['source', 'path']],
  [/\.body$/, ['entry', 'nodes', 'edges']],
  [/\.edges\.\d+$/, ['from', 'to', 'when', 'intent']],
  [/\.cases\.\d+$/, ['when', 'next']],
  [/\.claims$/, ['must_show', 'must_not_show']],
  [/(^|\.)(assert|when|unless|postcondition)(\.(all|any|none)\.\d+)*$/, assertionFields],
];

function unknownField(keys: readonly string[], name: string): Pick<Finding, 'code' | 'message' | 'hint'> {
  const path = dottedPath(keys.slice(0, -1));
  if (path === '') return fieldProblem(name, topFields);
  return fieldProblem(name, knownFields.find(([pattern]) => pattern.test(path))?.[1] ?? Object.keys(nodeModel.shape));
}

const topFields = [...new Set([...Object.keys(recipeModel.shape), ...Object.keys(catalogModel.shape)])];

/** Describes a field that is unknown, or that the protocol spells differently (spec §2: casing is part of the protocol). */
export function fieldProblem(name: string, known: readonly string[]): Pick<Finding, 'code' | 'message' | 'hint'> {
  const normalize = (field: string): string => field.replaceAll(/[_-]/g, '').toLowerCase();
  const match = known.find((field) => field !== name && normalize(field) === normalize(name));
  if (match !== undefined) {
    const message = `Recipe v1 spells the field ${JSON.stringify(name)} as ${JSON.stringify(match)}.`;
    return { code: 'recipe.field_casing', message, hint: `Did you mean ${JSON.stringify(match)}?` };
  }
  return {
    code: 'recipe.unknown_field',
    message: `There is no field ${JSON.stringify(name)} here.`,
    hint: didYouMean(name, known),
  };
}
