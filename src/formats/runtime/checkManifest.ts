// Checks the rules of the format that its models do not cover, and reports the parts that cannot run.
import { didYouMean } from '../../document/didYouMean.js';
import { readKeys } from '../../engine/jsonPath.js';
import { readCondition } from './condition.js';
import type { FindingReport } from './findingReport.js';
import type { Integrity } from './integrityHash.js';
import { isConditional, type Manifest, type TopologyEdge, type TopologyNode } from './manifest.js';
import { manifestModel, nodeModels } from './manifestModel.js';
import { UnsupportedExpression } from './python/parsePython.js';
import { Numeral } from './python/pythonJson.js';
import type { Leniency, ModelError } from './readManifest.js';
import { findRouterProblem } from './router.js';

const councilStrategies: readonly string[] = ['consensus', 'majority', 'unanimous'];

export function checkManifest(report: FindingReport, { topology, policy }: Manifest): void {
  const ids = topology.nodes.map(({ id }) => id);
  const checkedIds = new Set<string>();
  for (const [index, node] of topology.nodes.entries()) {
    const at = ['topology', 'nodes', String(index)];
    if (checkedIds.has(node.id)) {
      const message = `The node id ${JSON.stringify(node.id)} is used twice, so only the last of these nodes would run.`;
      report.block({ code: 'runtime.duplicate_node', at: [...at, 'id'], message, hint: 'Give each node an id of its own.' });
    }
    checkedIds.add(node.id);
    checkNode(report, node, { at, ids });
  }
  for (const [index, edge] of topology.edges.entries()) checkEdge(report, edge, ['topology', 'edges', String(index)]);
  for (const name of ['max_steps', 'timeout'] as const) {
    const value = policy?.[name] ?? 1;
    if (value < 1) blockNonPositive(report, ['policy', name], value);
  }
  const [retries, seconds] = [policy?.max_retries ?? 0, policy?.timeout ?? 0];
  if (retries > maxRetries) noteCutLimit(report, ['policy', 'max_retries'], `${maxRetries} retries`);
  if (seconds > maxSeconds) noteCutLimit(report, ['policy', 'timeout'], `${maxSeconds} s (one day)`);
  if (retries < 0) blockNonPositive(report, ['policy', 'max_retries'], policy?.max_retries ?? 0);
}

/** The limits for retries and timeouts. Larger values of a manifest are reduced to them. */
export const maxRetries = 99;
export const maxSeconds = 86_400;

function noteCutLimit(report: FindingReport, at: readonly string[], limit: string): void {
  const message = `${at.join('.')} is more than the limit of ${limit}. The limit is used instead.`;
  report.note({ code: 'runtime.cut_limit', at, message, hint: 'Use a smaller number.' });
}

function blockNonPositive(report: FindingReport, at: readonly string[], value: number): void {
  const message = `${at.join('.')} is ${value}, but a limit must be at least 1.`;
  report.block({ code: 'runtime.invalid_limit', at, message, hint: 'Use a larger number, or remove the limit.' });
}

type NodeRuleContext = { at: readonly string[]; ids: readonly string[] };

function checkNode(report: FindingReport, node: TopologyNode, { at, ids }: NodeRuleContext): void {
  if (node.type === 'map') {
    if (node.concurrency_limit < 1) blockNonPositive(report, [...at, 'concurrency_limit'], node.concurrency_limit);
    if (!ids.includes(node.processor_node_id)) {
      const message = `The map ${JSON.stringify(node.id)} runs ${JSON.stringify(node.processor_node_id)} for each item, but there is no such node.`;
      report.block({
        code: 'runtime.unknown_processor',
        at: [...at, 'processor_node_id'],
        message,
        hint: didYouMean(node.processor_node_id, ids),
      });
    }
  }
  if (node.type === 'human' && (node.timeout_seconds ?? 0) > maxSeconds)
    noteCutLimit(report, [...at, 'timeout_seconds'], `${maxSeconds} s (one day)`);
  if (node.type === 'human' && (node.timeout_seconds ?? 1) < 1)
    blockNonPositive(report, [...at, 'timeout_seconds'], node.timeout_seconds ?? 0);
  checkCouncil(report, node, [...at, 'council_config']);
}

function checkCouncil(report: FindingReport, { id, type, council_config: council }: TopologyNode, at: readonly string[]): void {
  if (!council) return;
  if (type !== 'agent' && type !== 'logic') {
    const message = `The council of ${JSON.stringify(id)} is not used: only agent and logic nodes can have a council, and this is a ${type} node.`;
    report.note({ code: 'runtime.unused_council', at, message, hint: 'Remove "council_config", or move it to an agent.' });
    return;
  }
  if (!councilStrategies.includes(council.strategy)) {
    const message = `The council of ${JSON.stringify(id)} has the unknown strategy ${JSON.stringify(council.strategy)}.`;
    report.block({
      code: 'runtime.unknown_strategy',
      at: [...at, 'strategy'],
      message,
      hint: didYouMean(council.strategy, councilStrategies),
    });
  }
  if (council.voters.length === 0) {
    const message = `The council of ${JSON.stringify(id)} has no voters, so it cannot decide.`;
    report.block({ code: 'runtime.no_voters', at: [...at, 'voters'], message, hint: 'Add the agents that vote.' });
  }
  noteRepeatedVoters(report, council.voters, { id, at: [...at, 'voters'] });
}

/** An agent that votes several times can form a majority alone. */
function noteRepeatedVoters(
  report: FindingReport,
  voters: readonly string[],
  { id, at }: { id: string; at: readonly string[] },
): void {
  for (const [index, voter] of voters.entries()) {
    if (voters.indexOf(voter) === index) continue;
    const message = `The council of ${JSON.stringify(id)} lists ${JSON.stringify(voter)} more than once, so its vote counts more than once.`;
    const hint = 'Remove the repetition, unless the agent should vote more than once.';
    report.note({ code: 'runtime.repeated_voter', at: [...at, String(index)], message, hint });
  }
}

function checkEdge(report: FindingReport, edge: TopologyEdge, at: readonly string[]): void {
  if (!isConditional(edge)) {
    checkCondition(report, edge.condition, [...at, 'condition']);
    return;
  }
  if (Object.keys(edge.mapping).length === 0) {
    const message = `The conditional edge of ${JSON.stringify(edge.source_node_id)} has an empty mapping, so no value of its router leads to a node.`;
    report.block({
      code: 'runtime.empty_mapping',
      at: [...at, 'mapping'],
      message,
      hint: 'Map each value of the router to a node.',
    });
  }
  const problem = typeof edge.router_logic === 'string' ? undefined : findRouterProblem(edge.router_logic);
  if (problem === undefined) return;
  const message = `The router of ${JSON.stringify(edge.source_node_id)} cannot be evaluated: ${problem}.`;
  report.block({ code: 'runtime.invalid_router', at: [...at, 'router_logic'], message });
}

function checkCondition(report: FindingReport, text: string | null, at: readonly string[]): void {
  const quoted = JSON.stringify((text ?? '').slice(0, 80));
  try {
    const condition = readCondition(text);
    if (condition.kind !== 'template' || condition.parts) return;
    const message = `The condition ${quoted} can never be true, because the part in its braces is not an expression.`;
    report.advise({ code: 'runtime.unreadable_condition', at, message });
  } catch (thrown) {
    if (!(thrown instanceof UnsupportedExpression)) throw thrown;
    const message = `The condition ${quoted} is not supported: ${thrown.message}.`;
    const hint =
      "Compare values (result == 'approved', state.score > 0.5, 'x' in messages), or write the text that the node returns.";
    report.block({ code: 'runtime.refused_condition', at, message, hint });
  }
}

export function checkIntegrity(report: FindingReport, integrity: Integrity): void {
  const at = ['integrity_hash'];
  const hint = 'If the topology is correct, update the hash with "recipewright compile <file> --write-hash".';
  if (integrity.status === 'mismatch') {
    const message = `integrity_hash does not match the topology, whose hash is ${integrity.expected}.`;
    report.block({ code: 'runtime.integrity_mismatch', at, message, hint });
  } else if (integrity.status === 'unverifiable') {
    const message =
      'integrity_hash is not a SHA-256 digest, so it cannot be verified. It must have 64 hexadecimal digits, with or without "sha256:".';
    report.advise({ code: 'runtime.unverifiable_hash', at, message, hint });
  } else if (integrity.status === 'verified' && integrity.by !== 'H1') {
    const message = `integrity_hash matches in the variant ${integrity.by}, but recipewright writes the variant H1.`;
    report.advise({ code: 'runtime.other_hash', at, message, hint });
  }
}

/**
 * Reports model errors with the messages of the reference implementation, with position and hint. For an edge that fits neither
 * model, only the errors of the intended one are reported.
 */
export function reportErrors(report: FindingReport, errors: readonly ModelError[]): void {
  const intended = errors.filter((error) => isIntended(report.document.value, error));
  for (const { loc, keys, type, msg } of intended.length > 0 ? intended : errors) {
    const at = type === 'missing' ? [...keys, String(loc.at(-1))] : keys;
    const hint = hintFor({ loc, keys, type, msg });
    report.refuse({
      code: findingCode(type),
      at,
      message: `${loc.join('.') || 'The document'}: ${msg}`,
      ...(hint ? { hint } : {}),
    });
  }
}

function findingCode(type: string): string {
  if (type === 'missing') return 'runtime.missing_field';
  if (type === 'extra_forbidden') return 'runtime.unknown_field';
  if (type === 'value_error') return 'runtime.dangling_edge';
  return type.startsWith('union_tag') ? 'runtime.unknown_node_type' : 'runtime.invalid_value';
}

function isIntended(document: unknown, { loc, keys }: ModelError): boolean {
  const branch = loc.findIndex((part) => part === 'Edge' || part === 'ConditionalEdge');
  if (loc[1] === 'edges' && branch === 3) {
    const edge = readKeys(document, keys.slice(0, 3));
    const routes = edge.found && typeof edge.value === 'object' && edge.value !== null;
    const isRouted = routes && ['router_logic', 'mapping'].some((key) => Object.hasOwn(edge.value as object, key));
    if ((loc[branch] === 'ConditionalEdge') !== isRouted) return false;
  }
  const branchValue = readKeys(document, branchKeys(loc, keys));
  const isObject = branchValue.found && typeof branchValue.value === 'object';
  if (loc.includes('str') || loc.includes('constrained-str')) return !isObject;
  return !(loc.includes('DataMapping') || loc.includes('RouterExpression')) || isObject;
}

/** Returns the keys of the value that can be a string or an object. */
function branchKeys(loc: ModelError['loc'], keys: readonly string[]): readonly string[] {
  const branch = loc.findIndex((part) => ['str', 'constrained-str', 'DataMapping', 'RouterExpression'].includes(String(part)));
  return branch === -1 ? keys : keys.slice(0, keys.length - (loc.length - 1 - branch));
}

function hintFor({ loc, type }: ModelError): string | undefined {
  const name = String(loc.at(-1));
  if (type === 'missing') return `Add ${JSON.stringify(name)}.`;
  if (type === 'value_error') return 'Add the node, or correct the id in the edge.';
  if (type !== 'extra_forbidden') return undefined;
  const model =
    loc.length === 1 ? manifestModel : loc[1] === 'nodes' && loc.length === 5 ? nodeModels.get(String(loc[3])) : undefined;
  return model
    ? didYouMean(
        name,
        model.map((field) => field.name),
      )
    : 'Remove the field. The format does not have it.';
}

export function reportLeniency(report: FindingReport, lenient: readonly Leniency[]): void {
  for (const { keys, authored, accepted } of lenient) {
    const message = `${keys.join('.')} is ${printValue(authored)} and is converted to ${printValue(accepted)}, but the specification of the format requires strict types.`;
    report.advise({ code: 'runtime.lax_value', at: keys, message, hint: `Write ${printValue(accepted)}.` });
  }
}

function printValue(value: unknown): string {
  return value instanceof Numeral ? value.text : JSON.stringify(value);
}
