// A flow-spec as a Recipe v1 document: one node for each step, one for each assertion, in their order.
import type { Document } from '../../document/readDocument.js';
import type { Origins } from '../modern/origins.js';
import type { Assertion, FlowSpec, Step } from './model.js';
import {
  extractions,
  fieldsOf,
  isExtractedBefore,
  mentionsIn,
  type Resolved,
  secretsIn,
  write,
  writeLiteral,
} from './variables.js';
import { gradeIntent, intentOf } from './words.js';

type Json = Record<string, unknown>;

export type Site = { spec: FlowSpec; document: Document; origins: Origins };

export function toClassic(site: Site): Json {
  const { spec } = site;
  const main = [...stepNodes(site), ...assertionNodes(site)];
  const begin = openNode(spec, main);
  const chain: [string, Json][] = [['begin', begin], ...main, ['grade', gradeNode()]];
  const nodes = Object.fromEntries(chain.map(([id, node], index) => [id, { ...node, next: chain[index + 1]?.[0] ?? 'done' }]));
  const report = { id: 'report', action: 'rw.flow_close', intent: 'Write down what the flow found, and close its browser' };
  return {
    schema_version: 1,
    ...{ title: writtenName(spec.name), ...(spec.description === undefined ? {} : { description: spec.description }) },
    ...inputsOf(site),
    validate: {
      workflow: { entry: 'begin', nodes: { ...nodes, done: { action: 'end', status: 'pass' } }, teardown: [report] },
    },
  };
}

function writtenName(name: string): string {
  return name.trim().replace(/\{(?=\{)/g, '{ ');
}

/** The browser opens at `url` by itself unless the first step says where to go. */
function openNode({ name, url, allowed_hosts = [], steps, assertions = [] }: FlowSpec, main: readonly [string, Json][]): Json {
  const opens = steps[0]?.type !== 'goto';
  const told = main.map(([id, { intent, rw }]) => ({ id, intent, ...(rw ? { optional: true } : {}) }));
  const count = told.length - assertions.length;
  return {
    action: 'rw.flow_open',
    intent: opens ? `Start a guarded browser at ${plainUrl(url)}` : 'Start a guarded browser',
    ...{ name: writeLiteral(name.trim()), url: writeLiteral(url), allowed_hosts, ...(opens ? { opens } : {}) },
    ...{ steps: told.slice(0, count), ...(assertions.length > 0 ? { assertions: told.slice(count).map(({ id }) => id) } : {}) },
  };
}

function plainUrl(url: string): string {
  return intentOf({ type: 'goto', url }).slice('Open '.length);
}

function stepNodes(site: Site): [string, Json][] {
  const { spec, document, origins } = site;
  return spec.steps.map((step, index) => {
    const id = `step-${index + 1}`;
    const at = ['validate', 'workflow', 'nodes', id];
    const json = {
      ...nodeOf(spec, step, index),
      record: 'failure_only',
      ...(step.optional ? { rw: { on_fail: 'continue' } } : {}),
    };
    return [id, origins.put(at, { document, keys: ['steps', String(index)] }, { json, moved: [] })];
  });
}

const actions: Readonly<Record<Step['type'], string>> = {
  goto: 'rw.flow_goto',
  act: 'rw.flow_act',
  expect: 'rw.flow_expect',
  wait: 'rw.flow_wait',
  extract: 'rw.flow_extract',
};

function nodeOf(spec: FlowSpec, step: Step, index: number): Json {
  const { type, optional: _, ...rest } = step;
  const fields: Json = { ...rest };
  // `action` of a node is the action of the recipe; what the step does has another name.
  if (step.type === 'act') {
    delete fields.action;
    fields.does = step.action;
  }
  const intent = intentOf(step);
  for (const [field, text] of Object.entries(rest))
    if (typeof text === 'string' && literal.has(field)) fields[field] = writeLiteral(text);
  for (const [field, text] of fieldsOf(step)) fields[field] = write(text, resolverFor(spec, { step, index, field }));
  return { action: actions[type], intent: intent === spec.name.trim() ? `${intent} in step ${index + 1}` : intent, ...fields };
}

/** Words that refer to nothing, and the pattern of url_matches. */
const literal = new Set(['target', 'vendor', 'event', 'value']);

function resolverFor(spec: FlowSpec, { step, index, field }: { step: Step; index: number; field: string }): Resolved {
  const known = extractions(spec);
  const takesSecrets = step.type === 'act' && field === 'value';
  return (name) => {
    if (isExtractedBefore(known, name, index)) return 'variable';
    return takesSecrets ? 'secret' : 'literal';
  };
}

function assertionNodes({ spec, document, origins }: Site): [string, Json][] {
  return (spec.assertions ?? []).map((assertion: Assertion, index) => {
    const id = `assertion-${index + 1}`;
    const { kind, severity = 'warning', ...rest } = assertion;
    const named = Object.entries(rest).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
    const words = Object.fromEntries(named.map(([key, text]) => [key, writeLiteral(text)]));
    const json = {
      action: 'rw.flow_assert',
      intent: gradeIntent(assertion),
      kind,
      ...words,
      severity,
      rw: { on_fail: 'continue' },
    };
    const at = ['validate', 'workflow', 'nodes', id];
    return [id, origins.put(at, { document, keys: ['assertions', String(index)] }, { json, moved: [] })];
  });
}

function gradeNode(): Json {
  return { action: 'rw.flow_grade', intent: 'Decide by the findings whether the test fails' };
}

const credential = 'A credential of the flow-spec: without it the run fails with credential_rejected.';

/** Each secret is read from the environment variable of its name, and from nowhere that is recorded. */
function inputsOf({ spec, document, origins }: Site): { inputs?: Json } {
  const names = [...secretsIn(spec)];
  if (names.length === 0) return {};
  const mentions = mentionsIn(spec);
  const inputs = names.map((name) => {
    const { step = 0 } = mentions.find((each) => each.name === name && each.mayBeSecret) ?? {};
    const json = { type: 'secret-ref', ref: `env:${name}`, description: credential };
    return [name, origins.put(['inputs', name], { document, keys: ['steps', String(step), 'value'] }, { json, moved: [] })];
  });
  return { inputs: Object.fromEntries(inputs) };
}
