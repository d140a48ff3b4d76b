// Compiles a node of a command template, and everything below it, to nodes of Recipe v1.
import type { Assertion } from '../../recipe/recipe.js';
import type { ArgDeclarations } from './argDeclarations.js';
import { compileWhen } from './compileWhen.js';
import { type FailureScope, parseFailureScope, readCount, readNumber, readRetryCount, widestScope } from './controls.js';
import { findValueAsCode } from './findValueAsCode.js';
import { getBranchLabel, isObject, type TemplateNode, toNode } from './model.js';
import { findPlaceholderNames } from './placeholders.js';
import { type ContextRecord, contextLines, isModelCommand } from './recipeContext.js';
import { getImportPath, setImportPath } from './recipeImports.js';
import { splitCommand } from './resolveArgv.js';
import { createTooManyRoundsError, createTooWideError, maxBranches, maxRounds, toRecoverNode } from './resolveNode.js';
import { TemplateError } from './templateError.js';
import { createValues, type Layer, mergeDefaults, mergeFixedValues, parsePlaceholderName } from './templateValues.js';

export type NodeJson = { action: string; intent: string; rw?: Record<string, unknown>; when?: Assertion } & Record<
  string,
  unknown
>;

/** `index` is missing where only the run knows it: the item of an `rw.each`. */
type Round = { index?: number; repeat: number | string };

export type CompileContext = {
  defaults: Layer;
  fixed?: Layer | undefined;
  args?: ArgDeclarations;
  round?: Round | undefined;
  /** The delays of the groups around it that begin with this node. */
  delays: readonly unknown[];
  /** The pointer to the node in the recipe, and to its own template. */
  pointer: string;
  inner: string;
  /** The aliases that lead to the recipe that holds the node. */
  aliases: readonly string[];
  /** The node is tried again as a whole when it fails. */
  isRetried?: boolean;
  /** The nearest `failure` around the node is "continue". */
  isFailureAllowed: boolean;
  build: Build;
};

/** Collected while the tree is compiled. */
export type Build = {
  /** Lists that a repetition counts, and that must have a value before the run. */
  lists: Set<string>;
  /** `on_fail` of a node whose author does not say. */
  unmarked: 'note' | 'continue';
  /** The records of an async recipe and its imports, for programs that ask a language model. */
  context?: (() => readonly ContextRecord[]) | undefined;
  /** The authored pointer of each compiled node. */
  authored: Map<NodeJson, string>;
};

export function compileNode(authoredNode: TemplateNode, context: CompileContext): NodeJson {
  const node = unwrapNode(authoredNode);
  const ownContext: CompileContext = {
    ...context,
    isRetried: node.retry !== undefined && node.repeat === undefined,
    defaults: mergeDefaults(node.defaults, context.defaults),
    fixed: mergeFixedValues(node.values, context.fixed),
    args: node.args ?? context.args,
    aliases: [...context.aliases, ...getImportPath(node)],
    isFailureAllowed: node.failure === undefined ? context.isFailureAllowed : node.failure === 'continue',
  };
  parseFailureScope(node.failure);
  refuseSymbolicNumbers(node, ownContext);
  const when = compileWhen(node.when, ownContext);
  if (typeof when === 'string') throw createErrorAt('template.unsupported_when', `${when}.`, context);
  const compiled = compileWithRetry(node, ownContext);
  if (when) compiled.when = when;
  context.build.authored.set(compiled, context.pointer);
  return compiled;
}

// Fields of a node around another object count for the inner node.
function unwrapNode(node: TemplateNode): TemplateNode {
  const { template, ...outer } = node;
  if (!isObject(template)) return node;
  const inner = toNode(template);
  const hasConflict = (['retry', 'repeat', 'delay', 'when'] as const).some(
    (field) => outer[field] !== undefined && inner[field] !== undefined,
  );
  if (hasConflict) return setImportPath({ ...outer, template: [template] }, getImportPath(node));
  const values = mergeFixedValues(inner.values, outer.values);
  const defaults = mergeDefaults(inner.defaults, outer.defaults ?? {});
  const merged = { ...outer, ...inner, defaults, ...(values ? { values } : {}) };
  return unwrapNode(setImportPath(merged, [...getImportPath(node), ...getImportPath(inner)]));
}

function compileWithRetry(node: TemplateNode, context: CompileContext): NodeJson {
  const { retry, recover, ...once } = node;
  if (retry === undefined) return compileGroupOrLeaf(once, context);
  // Each round has tries of its own.
  if (node.repeat !== undefined) return compileGroupOrLeaf(node, context);
  const max = readRetryCount(retry, createValues({ ...context, callerValues: {}, loop: undefined }));
  const compiled = compileGroupOrLeaf(once, context);
  const repair = recover === undefined ? undefined : compileRecover(recover, context);
  compiled.rw = { ...compiled.rw, retry: { max, ...(repair ? { recover: repair } : {}) } };
  return compiled;
}

function compileRecover(recover: unknown, context: CompileContext): NodeJson {
  const pointer = `${context.pointer}/recover`;
  const compiled = compileNode(toRecoverNode(recover), {
    ...context,
    pointer,
    aliases: [...context.aliases, ...getImportPath(recover)],
    inner: Array.isArray(recover) ? pointer : `${pointer}/template`,
  });
  if (compiled.rw?.retry === undefined) return compiled;
  // The engine runs a recovery once. Inside a group it can have tries of its own.
  const group = {
    action: 'rw.group',
    intent: 'Recover, in several tries if need be',
    order: 'in_turn',
    pipe: true,
    body: { nodes: { 'step-1': compiled } },
  };
  context.build.authored.set(group, pointer);
  return group;
}

function compileGroupOrLeaf(node: TemplateNode, context: CompileContext): NodeJson {
  const isGroup = node.repeat !== undefined || Array.isArray(node.template);
  return isGroup ? compileGroup(node, context) : compileLeaf(node, context);
}

/** Refuses what a compiled recipe cannot express, since leaving it out would change the meaning. */
function refuseSymbolicNumbers(node: TemplateNode, context: CompileContext): void {
  const isGroup = Array.isArray(node.template) || node.repeat !== undefined;
  const numberFields = [
    'retry',
    'concurrency',
    'min_successful',
    ...(isGroup && node.repeat === undefined ? ['timeout'] : []),
  ] as const;
  const symbolic = numberFields.find((field) => String(node[field as 'retry'] ?? '').includes('{'));
  if (symbolic === undefined) return;
  const message = `"${symbolic}" of a node cannot be compiled when it is a value. Write a number, or run it with runTemplate() of recipewright/template.`;
  throw createErrorAt('template.unsupported_field', message, context);
}

function createErrorAt(code: string, message: string, { pointer }: Pick<CompileContext, 'pointer'>): TemplateError {
  return new TemplateError(code, message, { pointer: pointer.split('/').slice(1) });
}

// Sequences, branches side by side, and repetitions, as regions of Recipe v1.

type CompileStep = { id: string; node: TemplateNode; stepContext: CompileContext };

function compileGroup(node: TemplateNode, context: CompileContext): NodeJson {
  const { repeat } = node;
  if (repeat === undefined) return buildGroup(node, listSteps(node, context), context);
  const list = typeof repeat === 'string' ? /^\{?([A-Za-z_][A-Za-z0-9_-]*)\.length\}?$/.exec(repeat.trim())?.[1] : undefined;
  const once = toRoundNode(node);
  // A time limit counts for each round.
  const { timeout: _, ...outer } = node;
  if (list !== undefined) return buildEach(outer, { list, once }, context);
  const count = Number(repeat);
  if (!Number.isInteger(count) || count < 1) {
    throw createErrorAt(
      'template.invalid_repeat',
      'Command template repeat must be a positive integer or {array.length}.',
      context,
    );
  }
  if (count > maxRounds) throw createErrorAt('template.too_many_rounds', createTooManyRoundsError(count).message, context);
  const rounds = Array.from({ length: count }, (_unused, index): CompileStep => {
    return { id: `round-${index + 1}`, node: once, stepContext: { ...context, round: { index, repeat: count } } };
  });
  return buildGroup(outer, rounds, context);
}

/** The node of one round, without the fields that count once for all rounds. */
function toRoundNode(node: TemplateNode): TemplateNode {
  const { repeat: _, delay: __, when: ___, failure, concurrency, min_successful, defaults, args, values, ...once } = node;
  return { ...once, ...pickAllowedFailure({ failure }) };
}

/** A round may fail when the repeated node may. */
function pickAllowedFailure({ failure }: TemplateNode): { failure?: unknown } {
  return failure === 'continue' ? { failure } : {};
}

function listSteps({ template }: TemplateNode, context: CompileContext): CompileStep[] {
  const steps = Array.isArray(template) ? template : [];
  return steps.map((step, index) => {
    if (Array.isArray(step))
      throw createErrorAt(
        'template.nested_list',
        'A step of a list cannot be a list itself: put it into { "template": [ … ] }.',
        context,
      );
    const pointer = `${context.inner}/${index}`;
    return { id: `step-${index + 1}`, node: toNode(step), stepContext: { ...context, pointer, inner: `${pointer}/template` } };
  });
}

function buildGroup(node: TemplateNode, steps: readonly CompileStep[], context: CompileContext): NodeJson {
  if (steps.length === 0) throw createErrorAt('template.no_steps', 'Tool template produced no command steps.', context);
  const isParallel = node.parallel === true;
  if (isParallel && node.concurrency === undefined && steps.length > maxBranches)
    throw createErrorAt('template.too_wide', createTooWideError(steps.length, maxBranches).message, context);
  const failure = parseFailureScope(node.failure);
  const quorum = readQuorum(node, context, { most: steps.length });
  // A failure that ends the run ends it after the last try, through the whole group.
  const isContained = context.isRetried === true && failure === 'root' && !isParallel;
  // The only step of a recipe is the whole recipe, also in the reference.
  const isAlone = context.pointer === '/template' && steps.length === 1 && !isParallel;
  const body = steps.map(({ id, node: step, stepContext }, index) => {
    const delays = isParallel || index === 0 ? addDelay(node, context) : [];
    const inherited = { defaults: context.defaults, fixed: context.fixed, args: context.args };
    const compiled = compileNode(step, { ...stepContext, ...inherited, delays });
    if (quorum) return [id, allowFailure(compiled, step)] as const;
    const scope = isContained ? 'branch' : combineScope(step, { failure, isParallel });
    return [id, setOnFail(compiled, { scope, isParallel, step, context, isAlone })] as const;
  });
  return {
    action: 'rw.group',
    intent: formatGroupIntent(node, steps.length),
    order: isParallel ? 'together' : 'in_turn',
    pipe: true,
    ...readLimit(node, context),
    ...quorum,
    ...(isParallel ? { join: steps.map(({ node: step }, index) => getBranchLabel(step, index)) } : {}),
    ...readDeadline(node, context),
    body: { nodes: Object.fromEntries(body) },
  };
}

function buildEach(node: TemplateNode, { list, once }: { list: string; once: TemplateNode }, context: CompileContext): NodeJson {
  const source = resolveListName(list, { ...context.defaults, ...context.fixed });
  context.build.lists.add(source);
  const failure = parseFailureScope(node.failure);
  const isParallel = node.parallel === true;
  const quorum = readQuorum(node, context, { most: maxRounds });
  const round = { repeat: `{${source}.length}` };
  const child = compileNode(once, { ...context, delays: addDelay(node, context), round });
  const scope = combineScope(once, { failure, isParallel });
  const compiledRound = quorum ? allowFailure(child, once) : setOnFail(child, { scope, isParallel, step: once, context });
  return {
    action: 'rw.each',
    intent: `${formatGroupIntent(node, undefined)}, once for each of ${list}`,
    ...(isParallel ? readLimit(node, context) : { limit: 1 }),
    ...quorum,
    join: isParallel ? toJoinLabels(node) : [],
    ...readDeadline(node, context),
    body: { nodes: { round: compiledRound } },
    rw: { in: { items: { source: 'inputs', path: `$['${source}']` } } },
  };
}

function toJoinLabels({ label }: TemplateNode): string[] {
  return typeof label === 'string' && label !== '' ? [label] : ['branch'];
}

function resolveListName(list: string, defaults: Layer): string {
  const visited = new Set([list]);
  for (let at = list; ; ) {
    const value = Object.hasOwn(defaults, at) ? defaults[at] : undefined;
    const next = typeof value === 'string' ? parsePlaceholderName(value) : undefined;
    if (next === undefined || visited.has(next)) return at;
    visited.add(next);
    at = next;
  }
}

function addDelay({ delay }: TemplateNode, { delays }: CompileContext): readonly unknown[] {
  return delay === undefined ? delays : [...delays, delay];
}

function readLimit({ concurrency }: TemplateNode, { defaults }: CompileContext): { limit?: number } {
  const limit = readCount(concurrency, { label: 'concurrency', values: createValues({ callerValues: {}, defaults }) });
  return limit === undefined ? {} : { limit };
}

type Quorum = { min_successful: number; reach?: Exclude<FailureScope, 'continue'> };

/** How many branches must succeed. Only a parallel node has branches. */
function readQuorum(
  node: TemplateNode,
  { defaults, ...context }: CompileContext,
  { most }: { most: number },
): Quorum | undefined {
  if (node.parallel !== true) return undefined;
  const count = readCount(node.min_successful, { label: 'min_successful', values: createValues({ callerValues: {}, defaults }) });
  if (count === undefined) return undefined;
  if (count <= most) return { min_successful: count, ...readReach(node) };
  const message = `"min_successful" is ${count}, but there are ${most} branches: they could never be enough.`;
  throw createErrorAt('template.too_many_successes', message, context);
}

// The reference does not count successes. It applies `failure` of the group to each branch, but forgets it for rounds.
function readReach({ failure, repeat }: TemplateNode): Pick<Quorum, 'reach'> {
  const scope = parseFailureScope(failure);
  return scope === 'continue' || (scope === 'branch' && repeat !== undefined) ? {} : { reach: scope };
}

// The group counts the branches that succeed and so tolerates each failure, except one that ends the run.
function allowFailure(compiled: NodeJson, { failure }: TemplateNode): NodeJson {
  compiled.rw = { ...compiled.rw, on_fail: parseFailureScope(failure) === 'root' ? 'abort' : 'continue' };
  return compiled;
}

// The first step waits for the delay of its group, so the time limit of the group must include it.
function readDeadline(node: TemplateNode, context: CompileContext): { timeout_ms?: number } {
  const values = createValues({ callerValues: {}, defaults: context.defaults });
  const ms = readNumber(node.timeout, { label: 'timeout', values }) ?? 0;
  if (ms === 0) return {};
  const waitsMs = sumDelays(addDelay(node, context));
  if (waitsMs !== undefined) return { timeout_ms: Math.min(maxTimeoutMs, Math.max(1, Math.round(ms + waitsMs))) };
  const message = '"delay" of a group that has a "timeout" cannot be compiled when it is a value. Write a number.';
  throw createErrorAt('template.unsupported_field', message, context);
}

type GroupFailure = { failure: FailureScope; isParallel: boolean };

// A branch that stops stops only itself, unless the parallel node has a wider scope.
function combineScope(step: TemplateNode, { failure, isParallel }: GroupFailure): FailureScope {
  const own = parseFailureScope(step.failure);
  return isParallel ? widestScope(own === 'branch' ? 'continue' : own, failure) : widestScope(own, failure);
}

type StepPlacement = { scope: FailureScope; isParallel: boolean; step: TemplateNode; context: CompileContext; isAlone?: boolean };

/** A failure that nothing marks is passed over, as in the reference, and still fails the recipe. */
function setOnFail(compiled: NodeJson, { scope, isParallel, step, context, isAlone = false }: StepPlacement): NodeJson {
  const isAllowed = step.failure === 'continue' || (step.failure === undefined && context.isFailureAllowed);
  // A group fails when a step stopped it, and then it stops the sequence around it. It also fails when too few branches succeeded.
  const isStopped = compiled.action !== 'rw.exec' && compiled.min_successful === undefined && !isParallel;
  const stops = (isAlone && !isAllowed) || isStopped;
  const passedOver = stops ? 'stop' : isAllowed ? 'continue' : context.build.unmarked;
  const reach = { continue: passedOver, branch: 'stop', root: 'abort' }[scope];
  if (reach !== 'stop') compiled.rw = { ...compiled.rw, on_fail: reach };
  return compiled;
}

function formatGroupIntent({ label, parallel }: TemplateNode, count: number | undefined): string {
  const how = parallel === true ? 'side by side' : 'one after the other, each fed by the one before';
  const what = count === undefined ? `Run the commands ${how}` : `Run ${count} ${count === 1 ? 'step' : 'steps'} ${how}`;
  return typeof label === 'string' && label.trim() !== '' ? `${label.trim()}: ${what.toLowerCase()}` : what;
}

// Compiles one command. The run fills in its words when it comes to the node.

/** A template has no time limit by default. A recipe needs one, so this is a very long one. */
const maxTimeoutMs = 86_400_000;

/** The command keeps its time limit itself, so that its output is kept. The node's own limit is only a safety net. */
const endGraceMs = 10_000;

function compileLeaf(node: TemplateNode, context: CompileContext): NodeJson {
  const words = splitCommand(typeof node.template === 'string' ? node.template : '');
  refuseDoubleBraces(words, context);
  refuseValueAsCode(words, context);
  const delays = [...context.delays, ...(node.delay === undefined ? [] : [node.delay])];
  const { defaults, set } = pickUsedValues(words, node, context);
  return {
    action: 'rw.exec',
    intent: formatLeafIntent(node, words),
    argv: words,
    ...(Object.keys(defaults).length > 0 ? { defaults } : {}),
    ...(Object.keys(set).length > 0 ? { set } : {}),
    ...(context.args === undefined ? {} : { args: context.args }),
    ...(context.round ? { round: context.round } : {}),
    ...(delays.length > 0 ? { delays } : {}),
    ...buildContextField(words, context),
    ...(node.timeout === undefined ? {} : { timeout: node.timeout }),
    timeout_ms: computeTimeoutMs(node.timeout, delays),
    rw: { in: { values: { source: 'inputs' } } },
  };
}

function computeTimeoutMs(timeout: unknown, delays: readonly unknown[]): number {
  const limitMs = readLiteralMs(timeout, 'timeout') ?? 0;
  const waitsMs = sumDelays(delays);
  if (limitMs === 0 || waitsMs === undefined) return maxTimeoutMs;
  return Math.min(maxTimeoutMs, Math.ceil(limitMs + waitsMs) + endGraceMs);
}

/** Undefined when one of them is a value, which only the run knows. */
function sumDelays(delays: readonly unknown[]): number | undefined {
  return delays.reduce<number | undefined>((sum, delay) => {
    const ms = readLiteralMs(delay, 'delay');
    return sum === undefined || ms === undefined ? undefined : sum + ms;
  }, 0);
}

function readLiteralMs(value: unknown, label: 'timeout' | 'delay'): number | undefined {
  if (typeof value === 'string' && value.includes('{')) return undefined;
  return readNumber(value, { label, values: createValues({ callerValues: {} }) }) ?? 0;
}

// Only what this command reads: with the defaults of the whole tree, a node would be hard to read.
function pickUsedValues(words: readonly string[], node: TemplateNode, context: CompileContext): { defaults: Layer; set: Layer } {
  const { defaults, fixed = {}, delays, round } = context;
  const usedNames = new Set([...words, node.timeout, ...delays, node.delay, round?.repeat].flatMap(findPlaceholderNames));
  for (const name of usedNames) {
    for (const layer of [defaults, fixed])
      if (hasName(layer, name)) for (const more of findPlaceholderNames(layer[name])) usedNames.add(more);
  }
  const pickUsed = (layer: Layer, covered: Layer = {}): Layer =>
    Object.fromEntries(
      [...usedNames].flatMap((name) => (hasName(layer, name) && !hasName(covered, name) ? [[name, layer[name]]] : [])),
    );
  return { defaults: pickUsed(defaults, fixed), set: pickUsed(fixed) };
}

function buildContextField(words: readonly string[], { build, aliases }: CompileContext): { context?: string } {
  const records = isModelCommand(words) ? build.context?.() : undefined;
  return records && records.length > 0 ? { context: contextLines(records, aliases) } : {};
}

const hasName = Object.hasOwn;

function formatLeafIntent({ label }: TemplateNode, words: readonly string[]): string {
  const command = words.join(' ').replace(/\s+/g, ' ');
  const short = command.length > 120 ? `${command.slice(0, 119)}…` : command;
  if (typeof label !== 'string' || label.trim() === '') return `Run ${short}`;
  return /\s/.test(label.trim()) ? label.trim() : `${label.trim()}: run ${short}`;
}

// Two braces are a reference of the recipe, and would be filled in before the template.
function refuseDoubleBraces(words: readonly string[], context: CompileContext): void {
  const word = words.find((one) => one.includes('{{'));
  if (word === undefined) return;
  const message = `${JSON.stringify(word)} holds "{{", which is a reference in a compiled recipe. Put the text into a file or a value.`;
  throw createErrorAt('template.double_braces', message, context);
}

// A value of the caller must not become code, and no quoting is safe inside the language of another program.
function refuseValueAsCode(words: readonly string[], context: CompileContext): void {
  const found = findValueAsCode(words);
  if (!found) return;
  const message = `{${found.name}} stands where ${found.reader} reads code. Hand the value over as an argument of its own, as in sh -c 'cd "$1"' sh {dir}, or put the code into a file.`;
  throw createErrorAt('template.value_as_code', message, context);
}
