// Reports schema errors of a modern recipe with the codes of the reference implementation, and hints for fields of classic
// recipes.
import type { z } from 'zod';
import { didYouMean } from '../../document/didYouMean.js';
import type { Document } from '../../document/readDocument.js';
import { readKeys } from '../../engine/jsonPath.js';
import { type Issue, protoKeys, readShape } from '../classic/readShape.js';
import { type ModernNode, modernModel, nodeModelOf, schemaUrl } from './model.js';
import type { ReportProblem } from './problemReporter.js';

export function checkShape({ value }: Document, report: ReportProblem): void {
  for (const issue of listIssues(modernModel, value)) reportIssue(value, issue, report);
  // zod ignores keys named `__proto__`. Only a node may have this name.
  for (const keys of protoKeys(value)) {
    if (keys.join('/') === 'workflow/nodes/__proto__') continue;
    report({
      code: 'recipe.unsupported_field',
      at: keys,
      message: 'Only a node can be named "__proto__".',
      hint: 'Rename it.',
    });
  }
  const nodes = readKeys(value, ['workflow', 'nodes']);
  if (!nodes.found || typeof nodes.value !== 'object' || nodes.value === null) return;
  for (const [id, node] of Object.entries(nodes.value)) {
    if (typeof node === 'object' && node !== null && !Array.isArray(node)) checkNodeShape(node as ModernNode, id, report);
    else if (id === '__proto__') {
      const message = `Node "__proto__" must be an object, but it is ${JSON.stringify(node)}.`;
      report({ code: 'workflow.invalid_node', at: ['workflow', 'nodes', id], message });
    }
  }
}

// Keeps one issue per position, so that an empty list in place of a string is not also reported as too short.
function listIssues(model: z.ZodType<unknown>, value: unknown): Issue[] {
  const { issues } = readShape(model, value);
  return issues.filter(({ keys }, index) => issues.findIndex((other) => other.keys.join('/') === keys.join('/')) === index);
}

function checkNodeShape(node: ModernNode, id: string, report: ReportProblem): void {
  const base = ['workflow', 'nodes', id];
  for (const { keys, message, unknown } of listIssues(nodeModelOf(node), node)) {
    if (unknown !== undefined && Object.hasOwn(removedNodeFieldHints, unknown)) continue;
    const [field = ''] = keys;
    const code = unknown === undefined ? (nodeCodes[field] ?? 'workflow.invalid_node') : findUnknownFieldCode(node);
    report({ code, at: [...base, ...keys], message: describeIssue(node, { keys, message }), ...suggestField(node, unknown) });
  }
  for (const field of Object.keys(node)) {
    const hint = Object.hasOwn(removedNodeFieldHints, field) ? removedNodeFieldHints[field] : undefined;
    if (hint === undefined) continue;
    const message = `Node ${JSON.stringify(id)} has ${JSON.stringify(field)}, which modern recipes do not have.`;
    report({ code: 'recipe.unsupported_field', at: [...base, field], message, hint });
  }
}

const nodeCodes: Readonly<Record<string, string>> = {
  action: 'workflow.invalid_action',
  status: 'workflow.invalid_terminal_status',
  ref: 'workflow.invalid_call_ref',
  params: 'workflow.invalid_call_params',
  proves: 'workflow.invalid_proves',
  next: 'workflow.invalid_next',
  cases: 'workflow.invalid_cases',
  default: 'workflow.invalid_default',
};

function findUnknownFieldCode({ action }: ModernNode): string {
  return action === 'end' ? 'workflow.invalid_terminal_field' : 'workflow.invalid_call_field';
}

function suggestField(node: ModernNode, unknown: string | undefined): { hint?: string } {
  return unknown === undefined ? {} : { hint: didYouMean(unknown, Object.keys(nodeModelOf(node).shape)) };
}

const shapeCodes: readonly [pattern: RegExp, code: string, codeIfMissing?: string][] = [
  [/^$/, 'recipe.invalid_document'],
  [/^\$schema$/, 'recipe.unsupported_schema_ref', 'recipe.missing_schema_ref'],
  [/^paramsSchema\b/, 'recipe.invalid_params_schema'],
  [/^proofTargets\b/, 'recipe.invalid_proof_target'],
  [/^workflow$/, 'recipe.missing_workflow'],
  [/^workflow\/entry$/, 'workflow.invalid_entry'],
  [/^workflow\/nodes$/, 'workflow.invalid_nodes'],
  [/^workflow\/teardown$/, 'workflow.invalid_teardown'],
  [/^workflow\/nodes\//, 'workflow.invalid_node'],
];

function reportIssue(value: unknown, issue: Issue, report: ReportProblem): void {
  const { keys, unknown } = issue;
  if (unknown !== undefined && !keys.includes('proofTargets')) {
    const message = `Modern recipes have no ${JSON.stringify(unknown)} here.`;
    const known = Object.keys(keys.length === 1 ? modernModel.shape : modernModel.shape.workflow.shape);
    const hint = Object.hasOwn(removedFieldHints, unknown) ? removedFieldHints[unknown] : undefined;
    report({ code: 'recipe.unsupported_field', at: keys, message, hint: hint ?? didYouMean(unknown, known) });
    return;
  }
  const isMissing = keys.length > 0 && !readKeys(value, keys).found;
  const [, code = 'recipe.invalid_document', codeIfMissing = code] =
    shapeCodes.find(([pattern]) => pattern.test(keys.join('/'))) ?? [];
  const hint = keys[0] === '$schema' ? { hint: `Set "$schema": ${JSON.stringify(schemaUrl)}.` } : {};
  report({ code: isMissing ? codeIfMissing : code, at: keys, message: describeIssue(value, issue), ...hint });
}

function describeIssue(value: unknown, { keys, message }: Issue): string {
  const name = keys.at(-1) ?? 'The document';
  const read = readKeys(value, keys);
  if (!read.found) return `${JSON.stringify(name)} is required here.`;
  const printed = JSON.stringify(read.value);
  return `${JSON.stringify(name)}: ${message.replace(/, received .*$/, '')}${printed.length <= 80 ? `, but it is ${printed}` : ''}.`;
}

const removedFieldHints: Readonly<Record<string, string>> = {
  schema_version: 'Remove it: "$schema" sets the version.',
  inputs: 'Declare params in "paramsSchema" and read them as {{params.<name>}}.',
  startState: 'Make it the first node of "workflow" and set "entry" to its id.',
  uses: 'Move the shared steps into a library recipe and "call" it by its id.',
  flows: 'Move the flow into a library recipe and "call" it by its id.',
  setup: 'Move these nodes to the beginning of "nodes" and set "entry" to the first one.',
  pre_conditions: 'Check the condition in the first node. Let that node fail when the condition does not hold.',
  playback: 'Remove it: the speed of a run is an option of the runner.',
};

const removedNodeFieldHints: Readonly<Record<string, string>> = {
  phase: 'Remove it. Use "proves" for the claims of a node.',
  record: 'Remove it. Add a "ui.screenshot" node where you need evidence.',
  when: 'Add a "switch" before the node.',
  unless: 'Add a "switch" before the node.',
  proofTarget: 'Use "proves": ["<id>"].',
  id: 'Remove it: the key in "nodes" is the id.',
  save_as: 'Remove it. Later nodes read the output as {{outputs.<node>.<path>}}.',
  observe: 'Remove it: observation is an option of the runner.',
  rw: 'Only classic recipes ("validate": { "workflow": … }) have this field.',
  body: 'Only classic recipes ("validate": { "workflow": … }) have this field.',
};
