// One node with everything settled that its values decide: whether it runs, how often, and what it starts. Nothing is started here.
import {
  countOf,
  failureScope,
  numberOf,
  repeatOf,
  retryOf,
  roundValues,
  runs,
  runsInReference,
  type Scope,
} from './controls.js';
import { inheritDefaults } from './inheritDefaults.js';
import { bindCommand } from './resolveArgv.js';
import { TemplateError } from './templateError.js';
import { isObject, type TemplateNode, toNode } from './templateNode.js';
import {
  fixValues,
  flatLeafValues,
  flatValues,
  honestValues,
  type Layer,
  type Layers,
  type TemplateValues,
} from './templateValues.js';

/** What a node gets from those around it. */
export type Site = Pick<Layers, 'args' | 'defaults' | 'loop' | 'fixed'>;

export type Step = { node: TemplateNode; site: Site };

export type Settings = { given: Layer; compat: boolean; cwd: string; maxParallel: number };

export type Opened = { delayMs: number } & (
  | { kind: 'skip' }
  | { kind: 'leaf'; argv: [string, ...string[]]; timeoutMs?: number; retry?: number }
  | { kind: 'inner'; step: Step }
  | { kind: 'tries'; max: number; attempt: Step; recover?: Step }
  | { kind: 'group'; steps: Step[]; isParallel: boolean; failure: Scope; timeoutMs?: number; limit: number; quorum?: number }
);

export function openNode({ node, site }: Step, settings: Settings): Opened {
  const inside = siteOf(node, site, settings);
  const values = valuesOf(inside, settings);
  const delayMs = numberOf(node.delay, { label: 'delay', values }) ?? 0;
  const isWanted = settings.compat ? runsInReference(node.when, values) : runs(node.when, values);
  if (!isWanted) return { delayMs, kind: 'skip' };
  const failure = failureScope(node.failure);
  if (node.repeat !== undefined) return { delayMs, ...repeated(node, { site: inside, values, settings }) };
  if (node.retry !== undefined && isTriedAsAWhole(node, settings)) {
    return { delayMs, ...tries(node, { site: inside, values, settings }) };
  }
  if (isObject(node.template)) return { delayMs, kind: 'inner', step: { node: innerNode(node, settings), site: inside } };
  if (!Array.isArray(node.template)) return { delayMs, ...leaf(node, { site: inside, values, settings }) };
  const steps = node.template.map((step) => ({ node: toNode(step), site: inside }));
  return { delayMs, ...group(node, { steps, failure, values, settings }) };
}

type Inside = { site: Site; values: TemplateValues; settings: Settings };

function siteOf(node: TemplateNode, { args, defaults, loop, fixed }: Site, { given, compat }: Settings): Site {
  const inherited = inheritDefaults(node.defaults, { ...defaults, ...loop }, given);
  return { args: node.args ?? args, defaults: inherited, loop, fixed: compat ? undefined : fixValues(node.values, fixed) };
}

function valuesOf(site: Site, { given, compat }: Settings): TemplateValues {
  return compat ? flatValues({ ...site, args: undefined, given }) : honestValues({ ...site, given });
}

// A process runner tries a single command again; everything else is tried as a whole.
function isTriedAsAWhole({ template, recover }: TemplateNode, { compat }: Settings): boolean {
  return Array.isArray(template) || recover !== undefined || (!compat && isObject(template));
}

function tries(node: TemplateNode, { site, values }: Inside) {
  const { delay: _, retry, recover, ...attempt } = node;
  const max = retryOf(retry, values);
  const step = { node: attempt, site };
  return {
    kind: 'tries' as const,
    max,
    attempt: step,
    ...(recover === undefined ? {} : { recover: { node: recoverNode(recover), site } }),
  };
}

// What cannot be repaired ends the run, unless its author says otherwise.
export function recoverNode(recover: unknown): TemplateNode {
  const node = Array.isArray(recover) ? { template: recover } : toNode(recover);
  return node.failure === undefined ? { ...node, failure: 'root' } : node;
}

/** What is set on a node around another one counts for that one; the reference forgets it. */
const handedDown = ['timeout', 'failure', 'parallel', 'concurrency', 'min_successful'] as const;

function innerNode(node: TemplateNode, { compat }: Settings): TemplateNode {
  const inner = toNode(node.template);
  if (compat) return inner;
  const handed = handedDown.flatMap((field) => (node[field] === undefined ? [] : [[field, node[field]]]));
  return { ...Object.fromEntries(handed), ...inner };
}

function leaf(node: TemplateNode, { site, values, settings }: Inside) {
  const { given, compat, cwd } = settings;
  const text = typeof node.template === 'string' ? node.template : '';
  const filling = compat ? { values: flatLeafValues({ ...site, given }) } : { values, honest: true };
  const argv = bindCommand(text, filling, { cwd, emptyMessage: 'Tool template produced an empty command.' });
  const timeoutMs = numberOf(node.timeout, { label: 'timeout', values });
  const retry = node.retry === undefined ? undefined : retryOf(node.retry, values);
  return {
    kind: 'leaf' as const,
    argv: argv as [string, ...string[]],
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(retry === undefined ? {} : { retry }),
  };
}

function repeated(node: TemplateNode, { site, values, settings }: Inside) {
  const { repeat, ...round } = node;
  const count = repeatOf(repeat, values);
  if (!settings.compat && count > mostRounds) throw tooManyRounds(count);
  const { compat } = settings;
  // The reference waits, asks and fails once more in each round; here a round is only what is repeated.
  const { delay: _, when: __, concurrency: ___, min_successful: ____, ...once } = round;
  const steps = Array.from({ length: count }, (_unused, index): Step => {
    const loop = roundValues(index, count);
    if (!compat) return { node: once, site: { ...site, loop } };
    return { node: { ...round, defaults: { ...site.defaults, ...round.defaults, ...loop } }, site };
  });
  const outer = compat ? { parallel: node.parallel } : { ...node, timeout: undefined };
  return group(outer, { steps, failure: compat ? 'continue' : failureScope(node.failure), values, settings });
}

type Steps = { steps: Step[]; failure: Scope; values: TemplateValues; settings: Settings };

function group(node: TemplateNode, { steps, failure, values, settings }: Steps) {
  if (steps.length === 0) throw new TemplateError('template.no_steps', '\nTool template produced no command steps.');
  const isParallel = node.parallel === true;
  const { compat, maxParallel } = settings;
  const own = compat ? undefined : countOf(node.concurrency, { label: 'concurrency', values });
  if (isParallel && steps.length > maxParallel && own === undefined) throw tooWide(steps.length, maxParallel);
  const timeoutMs = compat ? undefined : numberOf(node.timeout, { label: 'timeout', values });
  const quorum = compat ? undefined : countOf(node.min_successful, { label: 'min_successful', values });
  return {
    ...{ kind: 'group' as const, steps, isParallel, failure, limit: Math.min(own ?? maxParallel, maxParallel) },
    ...(timeoutMs === undefined || timeoutMs === 0 ? {} : { timeoutMs }),
    ...(quorum === undefined ? {} : { quorum }),
  };
}

/** Side by side, unless somebody says how many at a time. */
export const mostBranches = 64;

/** As many as a recipe may have nodes. */
export const mostRounds = 10_000;

export function tooManyRounds(count: number): TemplateError {
  const message = `Command template repeat is ${count}, more than ${mostRounds} rounds. Let a program do the loop.`;
  return new TemplateError('template.too_many_rounds', message);
}

export function tooWide(count: number, limit: number): TemplateError {
  const message = `Command template parallel fanout ${count} exceeds limit ${limit}; set PI_ACTORS_MAX_PARALLEL_BRANCHES to override intentionally.`;
  return new TemplateError('template.too_wide', message);
}

/** Opens everything that would run, so that what is wrong is told before anything is started. */
export function checkNode(step: Step, settings: Settings): void {
  const opened = openNode(step, settings);
  if (opened.kind === 'inner') checkNode(opened.step, settings);
  if (opened.kind === 'group') for (const inner of opened.steps) checkNode(inner, settings);
  if (opened.kind !== 'tries') return;
  checkNode(opened.attempt, settings);
  if (opened.recover) checkNode(opened.recover, settings);
}
