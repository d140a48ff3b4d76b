// Translates a flow-spec into a Recipe v1 document with one node per step and per assertion.
import type { Document } from '../../document/readDocument.js';
import type { Origins } from '../modern/origins.js';
import type { Assertion, FlowSpec, Step } from './model.js';
import { formatAssertionIntent, formatStepIntent } from './stepIntent.js';
import {
  findExtractions,
  isExtractedBefore,
  listMentions,
  listSecretNames,
  listTemplateFields,
  type ResolveVariable,
  toLiteralTemplate,
  toTemplate,
} from './variables.js';

type Json = Record<string, unknown>;

type SpecContext = { spec: FlowSpec; document: Document; origins: Origins };

export function toClassic(context: SpecContext): Json {
  const { spec } = context;
  const mainNodes = [...createStepNodes(context), ...createAssertionNodes(context)];
  const openNode = createOpenNode(spec, mainNodes);
  const chain: [string, Json][] = [['begin', openNode], ...mainNodes, ['grade', createGradeNode()]];
  const nodes = Object.fromEntries(chain.map(([id, node], index) => [id, { ...node, next: chain[index + 1]?.[0] ?? 'done' }]));
  const report = { id: 'report', action: 'rw.flow_close', intent: 'Write the findings of the flow, and close its browser' };
  return {
    schema_version: 1,
    title: escapeTitle(spec.name),
    ...(spec.description === undefined ? {} : { description: spec.description }),
    ...createInputs(context),
    validate: {
      workflow: { entry: 'begin', nodes: { ...nodes, done: { action: 'end', status: 'pass' } }, teardown: [report] },
    },
  };
}

function escapeTitle(name: string): string {
  return name.trim().replace(/\{(?=\{)/g, '{ ');
}

/** Creates the first node, which also opens `url` unless the first step is a goto. */
function createOpenNode(
  { name, url, allowed_hosts = [], steps, assertions = [] }: FlowSpec,
  mainNodes: readonly [string, Json][],
): Json {
  const opens = steps[0]?.type !== 'goto';
  const nodeList = mainNodes.map(([id, { intent, rw }]) => ({ id, intent, ...(rw ? { optional: true } : {}) }));
  const stepCount = nodeList.length - assertions.length;
  return {
    action: 'rw.flow_open',
    intent: opens ? `Start a guarded browser at ${formatUrl(url)}` : 'Start a guarded browser',
    name: toLiteralTemplate(name.trim()),
    url: toLiteralTemplate(url),
    allowed_hosts,
    ...(opens ? { opens } : {}),
    steps: nodeList.slice(0, stepCount),
    ...(assertions.length > 0 ? { assertions: nodeList.slice(stepCount).map(({ id }) => id) } : {}),
  };
}

function formatUrl(url: string): string {
  return formatStepIntent({ type: 'goto', url }).slice('Open '.length);
}

function createStepNodes(context: SpecContext): [string, Json][] {
  const { spec, document, origins } = context;
  return spec.steps.map((step, index) => {
    const id = `step-${index + 1}`;
    const at = ['validate', 'workflow', 'nodes', id];
    const json = {
      ...createStepNode(spec, step, index),
      record: 'failure_only',
      ...(step.optional ? { rw: { on_fail: 'continue' } } : {}),
    };
    return [id, origins.recordSource(at, { document, keys: ['steps', String(index)] }, { json, moved: [] })];
  });
}

const actionNames: Readonly<Record<Step['type'], string>> = {
  goto: 'rw.flow_goto',
  act: 'rw.flow_act',
  expect: 'rw.flow_expect',
  wait: 'rw.flow_wait',
  extract: 'rw.flow_extract',
};

function createStepNode(spec: FlowSpec, step: Step, index: number): Json {
  const { type, optional: _, ...rest } = step;
  const fields: Json = { ...rest };
  // `action` is the name of the recipe action, so the action of the step is `does`.
  if (step.type === 'act') {
    delete fields.action;
    fields.does = step.action;
  }
  const intent = formatStepIntent(step);
  for (const [field, text] of Object.entries(rest))
    if (typeof text === 'string' && literalFields.has(field)) fields[field] = toLiteralTemplate(text);
  for (const [field, text] of listTemplateFields(step))
    fields[field] = toTemplate(text, createVariableResolver(spec, { step, index, field }));
  return {
    action: actionNames[type],
    intent: intent === spec.name.trim() ? `${intent} in step ${index + 1}` : intent,
    ...fields,
  };
}

/** Fields without variables. `value` is the pattern of url_matches. */
const literalFields = new Set(['target', 'vendor', 'event', 'value']);

function createVariableResolver(
  spec: FlowSpec,
  { step, index, field }: { step: Step; index: number; field: string },
): ResolveVariable {
  const extractions = findExtractions(spec);
  const takesSecrets = step.type === 'act' && field === 'value';
  return (name) => {
    if (isExtractedBefore(extractions, name, index)) return 'variable';
    return takesSecrets ? 'secret' : 'literal';
  };
}

function createAssertionNodes({ spec, document, origins }: SpecContext): [string, Json][] {
  return (spec.assertions ?? []).map((assertion: Assertion, index) => {
    const id = `assertion-${index + 1}`;
    const { kind, severity = 'warning', ...rest } = assertion;
    const textFields = Object.entries(rest).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
    const templates = Object.fromEntries(textFields.map(([key, text]) => [key, toLiteralTemplate(text)]));
    const json = {
      action: 'rw.flow_assert',
      intent: formatAssertionIntent(assertion),
      kind,
      ...templates,
      severity,
      rw: { on_fail: 'continue' },
    };
    const at = ['validate', 'workflow', 'nodes', id];
    return [id, origins.recordSource(at, { document, keys: ['assertions', String(index)] }, { json, moved: [] })];
  });
}

function createGradeNode(): Json {
  return { action: 'rw.flow_grade', intent: 'Fail the test if the findings are severe enough' };
}

const credentialDescription = 'A credential of the flow-spec. Without it the run fails with credential_rejected.';

/** Creates an input for each secret, which is read from the environment variable of the same name and never recorded. */
function createInputs({ spec, document, origins }: SpecContext): { inputs?: Json } {
  const names = [...listSecretNames(spec)];
  if (names.length === 0) return {};
  const mentions = listMentions(spec);
  const inputs = names.map((name) => {
    const { step = 0 } = mentions.find((mention) => mention.name === name && mention.mayBeSecret) ?? {};
    const json = { type: 'secret-ref', ref: `env:${name}`, description: credentialDescription };
    return [
      name,
      origins.recordSource(['inputs', name], { document, keys: ['steps', String(step), 'value'] }, { json, moved: [] }),
    ];
  });
  return { inputs: Object.fromEntries(inputs) };
}
