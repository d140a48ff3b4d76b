// What the document of the format asks for beyond its models, and what nobody could run.
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
  const seen = new Set<string>();
  for (const [index, node] of topology.nodes.entries()) {
    const at = ['topology', 'nodes', String(index)];
    if (seen.has(node.id)) {
      const message = `The node id ${JSON.stringify(node.id)} is used twice: only the last of these nodes would run.`;
      report.block({ code: 'runtime.duplicate_node', at: [...at, 'id'], message, hint: 'Give each node an id of its own.' });
    }
    seen.add(node.id);
    checkNode(report, node, { at, ids });
  }
  for (const [index, edge] of topology.edges.entries()) checkEdge(report, edge, ['topology', 'edges', String(index)]);
  for (const name of ['max_steps', 'timeout'] as const) {
    const value = policy?.[name] ?? 1;
    if (value < 1) blockNonPositive(report, ['policy', name], value);
  }
  const [retries, seconds] = [policy?.max_retries ?? 0, policy?.timeout ?? 0];
  if (retries > maxRetries) noteCutLimit(report, ['policy', 'max_retries'], `${maxRetries} retries`);
  if (seconds > maxSeconds) noteCutLimit(report, ['policy', 'timeout'], `${maxSeconds} s, a day`);
  if (retries < 0) blockNonPositive(report, ['policy', 'max_retries'], policy?.max_retries ?? 0);
}

/** What is tried more often, or waited for longer, is given up all the same. */
export const maxRetries = 99;
export const maxSeconds = 86_400;

function noteCutLimit(report: FindingReport, at: readonly string[], most: string): void {
  const message = `${at.join('.')} is more than ${most}, which is what counts here.`;
  report.note({ code: 'runtime.cut_limit', at, message, hint: 'Write a smaller number.' });
}

function blockNonPositive(report: FindingReport, at: readonly string[], value: number): void {
  const message = `${at.join('.')} is ${value}, which is no limit that anything could keep.`;
  report.block({ code: 'runtime.invalid_limit', at, message, hint: 'Write a larger number, or leave it out.' });
}

type NodeRuleContext = { at: readonly string[]; ids: readonly string[] };

function checkNode(report: FindingReport, node: TopologyNode, { at, ids }: NodeRuleContext): void {
  if (node.type === 'map') {
    if (node.concurrency_limit < 1) blockNonPositive(report, [...at, 'concurrency_limit'], node.concurrency_limit);
    if (!ids.includes(node.processor_node_id)) {
      const message = `The map ${JSON.stringify(node.id)} runs ${JSON.stringify(node.processor_node_id)} for each item, which is no node.`;
      report.block({
        code: 'runtime.unknown_processor',
        at: [...at, 'processor_node_id'],
        message,
        hint: didYouMean(node.processor_node_id, ids),
      });
    }
  }
  if (node.type === 'human' && (node.timeout_seconds ?? 0) > maxSeconds)
    noteCutLimit(report, [...at, 'timeout_seconds'], `${maxSeconds} s, a day`);
  if (node.type === 'human' && (node.timeout_seconds ?? 1) < 1)
    blockNonPositive(report, [...at, 'timeout_seconds'], node.timeout_seconds ?? 0);
  checkCouncil(report, node, [...at, 'council_config']);
}

function checkCouncil(report: FindingReport, { id, type, council_config: council }: TopologyNode, at: readonly string[]): void {
  if (!council) return;
  if (type !== 'agent' && type !== 'logic') {
    const message = `The council of ${JSON.stringify(id)} is not asked: it stands for the work of an agent or of logic, and this is a ${type} node.`;
    report.note({ code: 'runtime.unused_council', at, message, hint: 'Take "council_config" out, or move it to an agent.' });
    return;
  }
  if (!councilStrategies.includes(council.strategy)) {
    const message = `The council of ${JSON.stringify(id)} decides by ${JSON.stringify(council.strategy)}, which nobody can count.`;
    report.block({
      code: 'runtime.unknown_strategy',
      at: [...at, 'strategy'],
      message,
      hint: didYouMean(council.strategy, councilStrategies),
    });
  }
  if (council.voters.length === 0) {
    const message = `The council of ${JSON.stringify(id)} has no voters, so it can never decide.`;
    report.block({ code: 'runtime.no_voters', at: [...at, 'voters'], message, hint: 'Name the agents that vote.' });
  }
  noteRepeatedVoters(report, council.voters, { id, at: [...at, 'voters'] });
}

/** A majority of one agent's own votes agrees with nobody but itself. */
function noteRepeatedVoters(
  report: FindingReport,
  voters: readonly string[],
  { id, at }: { id: string; at: readonly string[] },
): void {
  for (const [index, voter] of voters.entries()) {
    if (voters.indexOf(voter) === index) continue;
    const message = `The council of ${JSON.stringify(id)} lists ${JSON.stringify(voter)} again, whose vote then counts again.`;
    const hint = 'Take it out, unless the same agent is meant to be asked more than once.';
    report.note({ code: 'runtime.repeated_voter', at: [...at, String(index)], message, hint });
  }
}

function checkEdge(report: FindingReport, edge: TopologyEdge, at: readonly string[]): void {
  if (!isConditional(edge)) {
    checkCondition(report, edge.condition, [...at, 'condition']);
    return;
  }
  if (Object.keys(edge.mapping).length === 0) {
    const message = `The conditional edge of ${JSON.stringify(edge.source_node_id)} has an empty mapping: whatever its router says leads nowhere.`;
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
    if (condition.is !== 'template' || condition.parts) return;
    const message = `The condition ${quoted} can never be true: what stands in its braces is no expression.`;
    report.advise({ code: 'runtime.unreadable_condition', at, message });
  } catch (thrown) {
    if (!(thrown instanceof UnsupportedExpression)) throw thrown;
    const message = `The condition ${quoted} is refused: ${thrown.message}.`;
    const hint = "Compare values: result == 'approved', state.score > 0.5, 'x' in messages; or write the text the node gives.";
    report.block({ code: 'runtime.refused_condition', at, message, hint });
  }
}

export function checkIntegrity(report: FindingReport, integrity: Integrity): void {
  const at = ['integrity_hash'];
  const hint = 'Compute it anew with "recipewright compile <file> --write-hash" when the topology is meant to be as it is.';
  if (integrity.status === 'mismatch') {
    const message = `The topology is not the one that integrity_hash was made of: its hash is ${integrity.expected}.`;
    report.block({ code: 'runtime.integrity_mismatch', at, message, hint });
  } else if (integrity.status === 'unverifiable') {
    const message =
      'integrity_hash is no SHA-256 digest, so nobody can verify it. Expected are 64 hexadecimal digits, with or without "sha256:".';
    report.advise({ code: 'runtime.unverifiable_hash', at, message, hint });
  } else if (integrity.status === 'verified' && integrity.by !== 'H1') {
    const message = `integrity_hash fits by the way ${integrity.by}; what recipewright writes is H1.`;
    report.advise({ code: 'runtime.other_hash', at, message, hint });
  }
}

// What the models refuse, as findings: the reference's own words, with the place and what to do.

/** Of an edge that fits no shape, the shape that was meant is told of; all of them are in `errors`. */
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

/** Where the value stands that could be a text or an object. */
function branchKeys(loc: ModelError['loc'], keys: readonly string[]): readonly string[] {
  const at = loc.findIndex((part) => ['str', 'constrained-str', 'DataMapping', 'RouterExpression'].includes(String(part)));
  return at === -1 ? keys : keys.slice(0, keys.length - (loc.length - 1 - at));
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
    : 'Take it out: the format has no other fields.';
}

export function reportLeniency(report: FindingReport, lenient: readonly Leniency[]): void {
  for (const { keys, authored, accepted } of lenient) {
    const message = `${keys.join('.')} is ${printValue(authored)}, which is read as ${printValue(accepted)}. The document of the format asks for strict types.`;
    report.advise({ code: 'runtime.lax_value', at: keys, message, hint: `Write ${printValue(accepted)}.` });
  }
}

function printValue(value: unknown): string {
  return value instanceof Numeral ? value.text : JSON.stringify(value);
}
