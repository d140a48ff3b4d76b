// Resolves one node with its values: whether it runs, how often, and with which words. Starts no command.
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

/** The values that a node inherits from its parents. */
type InheritedValues = Pick<Layers, 'args' | 'defaults' | 'loop' | 'fixed'>;

export type Step = { node: TemplateNode; inherited: InheritedValues };

export type ResolveSettings = { callerValues: Layer; compat: boolean; cwd: string; maxParallel: number };

export type ResolvedNode = { delayMs: number } & (
  | { kind: 'skip' }
  | { kind: 'leaf'; argv: [string, ...string[]]; timeoutMs?: number; retry?: number }
  | { kind: 'inner'; step: Step }
  | { kind: 'retry'; max: number; attempt: Step; recover?: Step }
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

export function resolveNode({ node, inherited: outer }: Step, settings: ResolveSettings): ResolvedNode {
  const inherited = inheritValues(node, outer, settings);
  const values = createNodeValues(inherited, settings);
  const delayMs = readNumber(node.delay, { label: 'delay', values }) ?? 0;
  const isActive = settings.compat ? shouldRunCompat(node.when, values) : shouldRun(node.when, values);
  if (!isActive) return { delayMs, kind: 'skip' };
  const failure = parseFailureScope(node.failure);
  if (node.repeat !== undefined) return { delayMs, ...resolveRepeat(node, { inherited, values, settings }) };
  if (node.retry !== undefined && retriesWholeNode(node, settings)) {
    return { delayMs, ...resolveRetry(node, { inherited, values, settings }) };
  }
  if (isObject(node.template)) return { delayMs, kind: 'inner', step: { node: toInnerNode(node, settings), inherited } };
  if (!Array.isArray(node.template)) return { delayMs, ...resolveLeaf(node, { inherited, values, settings }) };
  const steps = node.template.map((step) => ({ node: toNode(step), inherited }));
  return { delayMs, ...resolveGroup(node, { steps, failure, values, settings }) };
}

type NodeParts = { inherited: InheritedValues; values: TemplateValues; settings: ResolveSettings };

function inheritValues(
  node: TemplateNode,
  { args, defaults, loop, fixed }: InheritedValues,
  { callerValues, compat }: ResolveSettings,
): InheritedValues {
  const ownDefaults = inheritDefaults(node.defaults, { ...defaults, ...loop }, callerValues);
  return {
    args: node.args ?? args,
    defaults: ownDefaults,
    loop,
    fixed: compat ? undefined : mergeFixedValues(node.values, fixed),
  };
}

function createNodeValues(inherited: InheritedValues, { callerValues, compat }: ResolveSettings): TemplateValues {
  return compat
    ? createCompatValues({ ...inherited, args: undefined, callerValues })
    : createValues({ ...inherited, callerValues });
}

// `Exec` retries a single command itself. Every other node is retried as a whole.
function retriesWholeNode({ template, recover }: TemplateNode, { compat }: ResolveSettings): boolean {
  return Array.isArray(template) || recover !== undefined || (!compat && isObject(template));
}

function resolveRetry(node: TemplateNode, { inherited, values }: NodeParts) {
  const { delay: _, retry, recover, ...attempt } = node;
  const max = readRetryCount(retry, values);
  const step = { node: attempt, inherited };
  return {
    kind: 'retry' as const,
    max,
    attempt: step,
    ...(recover === undefined ? {} : { recover: { node: toRecoverNode(recover), inherited } }),
  };
}

// A recovery that fails ends the run, unless the author sets another `failure`.
export function toRecoverNode(recover: unknown): TemplateNode {
  const node = Array.isArray(recover) ? { template: recover } : toNode(recover);
  return node.failure === undefined ? { ...node, failure: 'root' } : node;
}

/**
 * When the template of a node is another node, these fields of the outer node apply to the inner node. The reference
 * implementation ignores them.
 */
const inheritedFields = ['timeout', 'failure', 'parallel', 'concurrency', 'min_successful'] as const;

function toInnerNode(node: TemplateNode, { compat }: ResolveSettings): TemplateNode {
  const inner = toNode(node.template);
  if (compat) return inner;
  const outerFields = inheritedFields.flatMap((field) => (node[field] === undefined ? [] : [[field, node[field]]]));
  return { ...Object.fromEntries(outerFields), ...inner };
}

function resolveLeaf(node: TemplateNode, { inherited, values, settings }: NodeParts) {
  const { callerValues, compat, cwd } = settings;
  const command = typeof node.template === 'string' ? node.template : '';
  const substitution = compat
    ? { values: createCompatLeafValues({ ...inherited, callerValues }) }
    : { values, objectsAsJson: true };
  const argv = bindCommand(command, substitution, { cwd, emptyMessage: 'Tool template produced an empty command.' });
  const timeoutMs = readNumber(node.timeout, { label: 'timeout', values });
  const retry = node.retry === undefined ? undefined : readRetryCount(node.retry, values);
  return {
    kind: 'leaf' as const,
    argv: argv as [string, ...string[]],
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(retry === undefined ? {} : { retry }),
  };
}

function resolveRepeat(node: TemplateNode, { inherited, values, settings }: NodeParts) {
  const { repeat, ...round } = node;
  const count = readRepeatCount(repeat, values);
  if (!settings.compat && count > maxRounds) throw createTooManyRoundsError(count);
  const { compat } = settings;
  // The reference implementation applies `delay`, `when` and `failure` in each round. Strict mode applies them once.
  const { delay: _, when: __, concurrency: ___, min_successful: ____, ...once } = round;
  const steps = Array.from({ length: count }, (_unused, index): Step => {
    const loop = buildRoundValues(index, count);
    if (!compat) return { node: once, inherited: { ...inherited, loop } };
    return { node: { ...round, defaults: { ...inherited.defaults, ...round.defaults, ...loop } }, inherited };
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

/** The maximum number of branches of a parallel node without `concurrency`. */
export const maxBranches = 64;

/** The same limit as for the nodes of a recipe. */
export const maxRounds = 10_000;

export function createTooManyRoundsError(count: number): TemplateError {
  const message = `Command template repeat is ${count}, but the limit is ${maxRounds} rounds. Write the loop in a program.`;
  return new TemplateError('template.too_many_rounds', message);
}

export function createTooWideError(count: number, limit: number): TemplateError {
  const message = `Command template parallel fanout ${count} exceeds limit ${limit}; set PI_ACTORS_MAX_PARALLEL_BRANCHES to override intentionally.`;
  return new TemplateError('template.too_wide', message);
}

/** Resolves every node that would run, so that errors come before the first command starts. */
export function checkNodes(step: Step, settings: ResolveSettings): void {
  const resolved = resolveNode(step, settings);
  if (resolved.kind === 'inner') checkNodes(resolved.step, settings);
  if (resolved.kind === 'group') for (const inner of resolved.steps) checkNodes(inner, settings);
  if (resolved.kind !== 'retry') return;
  checkNodes(resolved.attempt, settings);
  if (resolved.recover) checkNodes(resolved.recover, settings);
}
