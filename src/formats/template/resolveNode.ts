// Resolves one node with its values: whether it runs, how often, and with which words. Nothing is started here.
import {
  buildRoundValues,
  type FailureScope,
  parseFailureScope,
  readCount,
  readNumber,
  readRepeatCount,
  readRetryCount,
  shouldRun,
  shouldRunCompat,
} from './controls.js';
import { isObject, type TemplateNode, toNode } from './model.js';
import { bindCommand } from './resolveArgv.js';
import { TemplateError } from './templateError.js';
import {
  createCompatLeafValues,
  createCompatValues,
  createValues,
  inheritDefaults,
  type Layer,
  type Layers,
  mergeFixedValues,
  type TemplateValues,
} from './templateValues.js';

/** The values that a node inherits from the nodes around it. */
type Site = Pick<Layers, 'args' | 'defaults' | 'loop' | 'fixed'>;

export type Step = { node: TemplateNode; site: Site };

export type ResolveSettings = { callerValues: Layer; compat: boolean; cwd: string; maxParallel: number };

export type ResolvedNode = { delayMs: number } & (
  | { kind: 'skip' }
  | { kind: 'leaf'; argv: [string, ...string[]]; timeoutMs?: number; retry?: number }
  | { kind: 'inner'; step: Step }
  | { kind: 'tries'; max: number; attempt: Step; recover?: Step }
  | {
      kind: 'group';
      steps: Step[];
      isParallel: boolean;
      failure: FailureScope;
      timeoutMs?: number;
      limit: number;
      quorum?: number;
    }
);

export function resolveNode({ node, site }: Step, settings: ResolveSettings): ResolvedNode {
  const ownSite = inheritSite(node, site, settings);
  const values = createNodeValues(ownSite, settings);
  const delayMs = readNumber(node.delay, { label: 'delay', values }) ?? 0;
  const isActive = settings.compat ? shouldRunCompat(node.when, values) : shouldRun(node.when, values);
  if (!isActive) return { delayMs, kind: 'skip' };
  const failure = parseFailureScope(node.failure);
  if (node.repeat !== undefined) return { delayMs, ...resolveRepeat(node, { site: ownSite, values, settings }) };
  if (node.retry !== undefined && retriesWholeNode(node, settings)) {
    return { delayMs, ...resolveTries(node, { site: ownSite, values, settings }) };
  }
  if (isObject(node.template)) return { delayMs, kind: 'inner', step: { node: toInnerNode(node, settings), site: ownSite } };
  if (!Array.isArray(node.template)) return { delayMs, ...resolveLeaf(node, { site: ownSite, values, settings }) };
  const steps = node.template.map((step) => ({ node: toNode(step), site: ownSite }));
  return { delayMs, ...resolveGroup(node, { steps, failure, values, settings }) };
}

type NodeParts = { site: Site; values: TemplateValues; settings: ResolveSettings };

function inheritSite(node: TemplateNode, { args, defaults, loop, fixed }: Site, { callerValues, compat }: ResolveSettings): Site {
  const ownDefaults = inheritDefaults(node.defaults, { ...defaults, ...loop }, callerValues);
  return {
    args: node.args ?? args,
    defaults: ownDefaults,
    loop,
    fixed: compat ? undefined : mergeFixedValues(node.values, fixed),
  };
}

function createNodeValues(site: Site, { callerValues, compat }: ResolveSettings): TemplateValues {
  return compat ? createCompatValues({ ...site, args: undefined, callerValues }) : createValues({ ...site, callerValues });
}

// What starts a command tries a single command again. Every other node is tried as a whole.
function retriesWholeNode({ template, recover }: TemplateNode, { compat }: ResolveSettings): boolean {
  return Array.isArray(template) || recover !== undefined || (!compat && isObject(template));
}

function resolveTries(node: TemplateNode, { site, values }: NodeParts) {
  const { delay: _, retry, recover, ...attempt } = node;
  const max = readRetryCount(retry, values);
  const step = { node: attempt, site };
  return {
    kind: 'tries' as const,
    max,
    attempt: step,
    ...(recover === undefined ? {} : { recover: { node: toRecoverNode(recover), site } }),
  };
}

// A recovery that fails ends the run, unless its author says otherwise.
export function toRecoverNode(recover: unknown): TemplateNode {
  const node = Array.isArray(recover) ? { template: recover } : toNode(recover);
  return node.failure === undefined ? { ...node, failure: 'root' } : node;
}

/** The fields of a node around another object that count for the inner node. The reference ignores them. */
const inheritedFields = ['timeout', 'failure', 'parallel', 'concurrency', 'min_successful'] as const;

function toInnerNode(node: TemplateNode, { compat }: ResolveSettings): TemplateNode {
  const inner = toNode(node.template);
  if (compat) return inner;
  const inherited = inheritedFields.flatMap((field) => (node[field] === undefined ? [] : [[field, node[field]]]));
  return { ...Object.fromEntries(inherited), ...inner };
}

function resolveLeaf(node: TemplateNode, { site, values, settings }: NodeParts) {
  const { callerValues, compat, cwd } = settings;
  const text = typeof node.template === 'string' ? node.template : '';
  const substitution = compat ? { values: createCompatLeafValues({ ...site, callerValues }) } : { values, objectsAsJson: true };
  const argv = bindCommand(text, substitution, { cwd, emptyMessage: 'Tool template produced an empty command.' });
  const timeoutMs = readNumber(node.timeout, { label: 'timeout', values });
  const retry = node.retry === undefined ? undefined : readRetryCount(node.retry, values);
  return {
    kind: 'leaf' as const,
    argv: argv as [string, ...string[]],
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(retry === undefined ? {} : { retry }),
  };
}

function resolveRepeat(node: TemplateNode, { site, values, settings }: NodeParts) {
  const { repeat, ...round } = node;
  const count = readRepeatCount(repeat, values);
  if (!settings.compat && count > maxRounds) throw createTooManyRoundsError(count);
  const { compat } = settings;
  // The reference applies `delay`, `when` and `failure` again in each round. Here they count once.
  const { delay: _, when: __, concurrency: ___, min_successful: ____, ...once } = round;
  const steps = Array.from({ length: count }, (_unused, index): Step => {
    const loop = buildRoundValues(index, count);
    if (!compat) return { node: once, site: { ...site, loop } };
    return { node: { ...round, defaults: { ...site.defaults, ...round.defaults, ...loop } }, site };
  });
  const outer = compat ? { parallel: node.parallel } : { ...node, timeout: undefined };
  return resolveGroup(outer, { steps, failure: compat ? 'continue' : parseFailureScope(node.failure), values, settings });
}

type GroupParts = { steps: Step[]; failure: FailureScope; values: TemplateValues; settings: ResolveSettings };

function resolveGroup(node: TemplateNode, { steps, failure, values, settings }: GroupParts) {
  if (steps.length === 0) throw new TemplateError('template.no_steps', '\nTool template produced no command steps.');
  const isParallel = node.parallel === true;
  const { compat, maxParallel } = settings;
  const concurrency = compat ? undefined : readCount(node.concurrency, { label: 'concurrency', values });
  if (isParallel && steps.length > maxParallel && concurrency === undefined) throw createTooWideError(steps.length, maxParallel);
  const timeoutMs = compat ? undefined : readNumber(node.timeout, { label: 'timeout', values });
  const quorum = compat ? undefined : readCount(node.min_successful, { label: 'min_successful', values });
  return {
    kind: 'group' as const,
    steps,
    isParallel,
    failure,
    limit: Math.min(concurrency ?? maxParallel, maxParallel),
    ...(timeoutMs === undefined || timeoutMs === 0 ? {} : { timeoutMs }),
    ...(quorum === undefined ? {} : { quorum }),
  };
}

/** The most branches of a parallel node without `concurrency`. */
export const maxBranches = 64;

/** As many as the nodes of a recipe. */
export const maxRounds = 10_000;

export function createTooManyRoundsError(count: number): TemplateError {
  const message = `Command template repeat is ${count}, more than ${maxRounds} rounds. Let a program do the loop.`;
  return new TemplateError('template.too_many_rounds', message);
}

export function createTooWideError(count: number, limit: number): TemplateError {
  const message = `Command template parallel fanout ${count} exceeds limit ${limit}; set PI_ACTORS_MAX_PARALLEL_BRANCHES to override intentionally.`;
  return new TemplateError('template.too_wide', message);
}

/** Resolves every node that would run, so that errors come before anything is started. */
export function checkNodes(step: Step, settings: ResolveSettings): void {
  const resolved = resolveNode(step, settings);
  if (resolved.kind === 'inner') checkNodes(resolved.step, settings);
  if (resolved.kind === 'group') for (const inner of resolved.steps) checkNodes(inner, settings);
  if (resolved.kind !== 'tries') return;
  checkNodes(resolved.attempt, settings);
  if (resolved.recover) checkNodes(resolved.recover, settings);
}
