// What the document of the format asks for beyond its models, and what nobody could run.
import { didYouMean } from '../../document/nearest.js';
import { readCondition } from './condition.js';
import type { Integrity } from './integrity.js';
import { isConditional, type Manifest, type TopologyEdge, type TopologyNode } from './manifest.js';
import { NotAllowed } from './pythonTokens.js';
import type { Report } from './report.js';
import { problemOf } from './router.js';

export const strategies: readonly string[] = ['consensus', 'majority', 'unanimous'];

export function checkDocumentRules(report: Report, { topology, policy }: Manifest): void {
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
    if (value < 1) notPositive(report, ['policy', name], value);
  }
  const [retries, seconds] = [policy?.max_retries ?? 0, policy?.timeout ?? 0];
  if (retries > mostRetries) cutShort(report, ['policy', 'max_retries'], `${mostRetries} retries`);
  if (seconds > mostSeconds) cutShort(report, ['policy', 'timeout'], `${mostSeconds} s, a day`);
  if (retries < 0) notPositive(report, ['policy', 'max_retries'], policy?.max_retries ?? 0);
}

/** What is tried more often, or waited for longer, is given up all the same. */
export const mostRetries = 99;
export const mostSeconds = 86_400;

function cutShort(report: Report, at: readonly string[], most: string): void {
  const message = `${at.join('.')} is more than ${most}, which is what counts here.`;
  report.note({ code: 'runtime.cut_limit', at, message, hint: 'Write a smaller number.' });
}

function notPositive(report: Report, at: readonly string[], value: number): void {
  const message = `${at.join('.')} is ${value}, which is no limit that anything could keep.`;
  report.block({ code: 'runtime.invalid_limit', at, message, hint: 'Write a larger number, or leave it out.' });
}

type Around = { at: readonly string[]; ids: readonly string[] };

function checkNode(report: Report, node: TopologyNode, { at, ids }: Around): void {
  if (node.type === 'map') {
    if (node.concurrency_limit < 1) notPositive(report, [...at, 'concurrency_limit'], node.concurrency_limit);
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
  if (node.type === 'human' && (node.timeout_seconds ?? 0) > mostSeconds)
    cutShort(report, [...at, 'timeout_seconds'], `${mostSeconds} s, a day`);
  if (node.type === 'human' && (node.timeout_seconds ?? 1) < 1)
    notPositive(report, [...at, 'timeout_seconds'], node.timeout_seconds ?? 0);
  checkCouncil(report, node, [...at, 'council_config']);
}

function checkCouncil(report: Report, { id, type, council_config: council }: TopologyNode, at: readonly string[]): void {
  if (!council) return;
  if (type !== 'agent' && type !== 'logic') {
    const message = `The council of ${JSON.stringify(id)} is not asked: it stands for the work of an agent or of logic, and this is a ${type} node.`;
    report.note({ code: 'runtime.unused_council', at, message, hint: 'Take "council_config" out, or move it to an agent.' });
    return;
  }
  if (!strategies.includes(council.strategy)) {
    const message = `The council of ${JSON.stringify(id)} decides by ${JSON.stringify(council.strategy)}, which nobody can count.`;
    report.block({
      code: 'runtime.unknown_strategy',
      at: [...at, 'strategy'],
      message,
      hint: didYouMean(council.strategy, strategies),
    });
  }
  if (council.voters.length === 0) {
    const message = `The council of ${JSON.stringify(id)} has no voters, so it can never decide.`;
    report.block({ code: 'runtime.no_voters', at: [...at, 'voters'], message, hint: 'Name the agents that vote.' });
  }
  checkRepeated(report, council.voters, { id, at: [...at, 'voters'] });
}

/** A majority of one agent's own votes agrees with nobody but itself. */
function checkRepeated(report: Report, voters: readonly string[], { id, at }: { id: string; at: readonly string[] }): void {
  for (const [index, voter] of voters.entries()) {
    if (voters.indexOf(voter) === index) continue;
    const message = `The council of ${JSON.stringify(id)} lists ${JSON.stringify(voter)} again, whose vote then counts again.`;
    const hint = 'Take it out, unless the same agent is meant to be asked more than once.';
    report.note({ code: 'runtime.repeated_voter', at: [...at, String(index)], message, hint });
  }
}

function checkEdge(report: Report, edge: TopologyEdge, at: readonly string[]): void {
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
  const problem = typeof edge.router_logic === 'string' ? undefined : problemOf(edge.router_logic);
  if (problem === undefined) return;
  const message = `The router of ${JSON.stringify(edge.source_node_id)} cannot be evaluated: ${problem}.`;
  report.block({ code: 'runtime.invalid_router', at: [...at, 'router_logic'], message });
}

function checkCondition(report: Report, text: string | null, at: readonly string[]): void {
  const quoted = JSON.stringify((text ?? '').slice(0, 80));
  try {
    const condition = readCondition(text);
    if (condition.is !== 'template' || condition.parts) return;
    const message = `The condition ${quoted} can never be true: what stands in its braces is no expression.`;
    report.advise({ code: 'runtime.unreadable_condition', at, message });
  } catch (thrown) {
    if (!(thrown instanceof NotAllowed)) throw thrown;
    const message = `The condition ${quoted} is refused: ${thrown.message}.`;
    const hint = "Compare values: result == 'approved', state.score > 0.5, 'x' in messages; or write the text the node gives.";
    report.block({ code: 'runtime.refused_condition', at, message, hint });
  }
}

export function checkIntegrity(report: Report, integrity: Integrity): void {
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
