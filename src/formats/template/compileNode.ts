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

/** `index` is missing for the item of an `rw.each`, because only the run knows the item. */
type Round = { index?: number; repeat: number | string };

export type CompileContext = {
  defaults: Layer;
  fixed?: Layer | undefined;
  args?: ArgDeclarations;
  round?: Round | undefined;
  /** The delays of the parent groups whose first step is this node. */
  delays: readonly unknown[];
  /** The authored pointer to the node. */
  pointer: string;
  /** The authored pointer to the template of the node. */
  inner: string;
  /** The import aliases from the entry recipe to the recipe that contains the node. */
  aliases: readonly string[];
  /** True when the whole node has a retry. */
  isRetried?: boolean;
  /** True when the nearest `failure` field on the way to the root is "continue". */
  isFailureAllowed: boolean;
  build: Build;
};

/** State of the compilation that all nodes share. */
export type Build = {
  /** The lists whose length is the count of a repetition. They need a value before the run. */
  lists: Set<string>;
  /** The `on_fail` of a node without a `failure` field. */
  defaultOnFail: 'note' | 'continue';
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

// Merges a node whose template is one object with that object: the fields of the outer node apply to the inner node.
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
  // Each round has its own retry.
  if (node.repeat !== undefined) return compileGroupOrLeaf(node, context);
  const max = readRetryCount(retry, createValues({ ...context, callerValues: {}, loop: undefined }));
  const compiled = compileGroupOrLeaf(once, context);
  const recovery = recover === undefined ? undefined : compileRecover(recover, context);
  compiled.rw = { ...compiled.rw, retry: { max, ...(recovery ? { recover: recovery } : {}) } };
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
  // The engine runs a recovery once. Inside a group, the recovery can have its own retry.
  const group = {
    action: 'rw.group',
    intent: 'Recover, with retries',
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

/** Throws for a number with a placeholder that a compiled recipe cannot express. Ignoring the field would change the meaning. */
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
  const message = `"${symbolic}" of a node contains a placeholder, which cannot be compiled. Write a number, or run the template with runTemplate() of recipewright/template.`;
  throw createErrorAt('template.unsupported_field', message, context);
}

function createErrorAt(code: string, message: string, { pointer }: Pick<CompileContext, 'pointer'>): TemplateError {
  return new TemplateError(code, message, { pointer: pointer.split('/').slice(1) });
}

// Compiles sequences, parallel branches and repetitions to regions of Recipe v1.

type CompileStep = { id: string; node: TemplateNode; stepContext: CompileContext };

function compileGroup(node: TemplateNode, context: CompileContext): NodeJson {
  const { repeat } = node;
  if (repeat === undefined) return buildGroup(node, listSteps(node, context), context);
  const list = typeof repeat === 'string' ? /^\{?([A-Za-z_][A-Za-z0-9_-]*)\.length\}?$/.exec(repeat.trim())?.[1] : undefined;
  const once = toRoundNode(node);
  // The time limit applies to each round.
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

/** Returns the node of one round, without the fields that apply once to all rounds. */
function toRoundNode(node: TemplateNode): TemplateNode {
  const { repeat: _, delay: __, when: ___, failure, concurrency, min_successful, defaults, args, values, ...once } = node;
  return { ...once, ...pickAllowedFailure({ failure }) };
}

/** Returns "failure": "continue" for a round when the repeated node has it. */
function pickAllowedFailure({ failure }: TemplateNode): { failure?: unknown } {
  return failure === 'continue' ? { failure } : {};
}

function listSteps({ template }: TemplateNode, context: CompileContext): CompileStep[] {
  const steps = Array.isArray(template) ? template : [];
  return steps.map((step, index) => {
    if (Array.isArray(step))
      throw createErrorAt(
        'template.nested_list',
        'A step of a list cannot be a list. Wrap the inner list in { "template": [ … ] }.',
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
  const quorum = readQuorum(node, context, { branchCount: steps.length });
  // A retried group with "failure": "root" ends the run only after its last attempt, so its steps must not end the run.
  const isContained = context.isRetried === true && failure === 'root' && !isParallel;
  // A failure of the only step of a recipe is the failure of the recipe, also in the reference implementation.
  const isOnlyStep = context.pointer === '/template' && steps.length === 1 && !isParallel;
  const body = steps.map(({ id, node: step, stepContext }, index) => {
    const delays = isParallel || index === 0 ? addDelay(node, context) : [];
    const inherited = { defaults: context.defaults, fixed: context.fixed, args: context.args };
    const compiled = compileNode(step, { ...stepContext, ...inherited, delays });
    if (quorum) return [id, allowFailure(compiled, step)] as const;
    const scope = isContained ? 'branch' : combineScope(step, { failure, isParallel });
    return [id, setOnFail(compiled, { scope, isParallel, step, context, isOnlyStep })] as const;
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
  const quorum = readQuorum(node, context, { branchCount: maxRounds });
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

/** Reads how many branches must succeed. Only a parallel node has branches. */
function readQuorum(
  node: TemplateNode,
  { defaults, ...context }: CompileContext,
  { branchCount }: { branchCount: number },
): Quorum | undefined {
  if (node.parallel !== true) return undefined;
  const count = readCount(node.min_successful, { label: 'min_successful', values: createValues({ callerValues: {}, defaults }) });
  if (count === undefined) return undefined;
  if (count <= branchCount) return { min_successful: count, ...readReach(node) };
  const message = `"min_successful" is ${count}, but there are only ${branchCount} branches. Use a smaller number.`;
  throw createErrorAt('template.too_many_successes', message, context);
}

// The reference implementation does not count successes. It applies the `failure` of the group to each branch, but not to the
// rounds of a repetition.
function readReach({ failure, repeat }: TemplateNode): Pick<Quorum, 'reach'> {
  const scope = parseFailureScope(failure);
  return scope === 'continue' || (scope === 'branch' && repeat !== undefined) ? {} : { reach: scope };
}

// The group counts the branches that succeed, so it tolerates every failure except one that ends the run.
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
  const message = '"delay" of a group with a "timeout" contains a placeholder, which cannot be compiled. Write a number.';
  throw createErrorAt('template.unsupported_field', message, context);
}

type GroupFailure = { failure: FailureScope; isParallel: boolean };

// A branch with "failure": "branch" stops only itself, unless the parallel node has a wider scope.
function combineScope(step: TemplateNode, { failure, isParallel }: GroupFailure): FailureScope {
  const own = parseFailureScope(step.failure);
  return isParallel ? widestScope(own === 'branch' ? 'continue' : own, failure) : widestScope(own, failure);
}

type StepPlacement = {
  scope: FailureScope;
  isParallel: boolean;
  step: TemplateNode;
  context: CompileContext;
  isOnlyStep?: boolean;
};

/**
 * Without a `failure` field, the run continues after a failure, as in the reference implementation, but the recipe still fails.
 */
function setOnFail(compiled: NodeJson, { scope, isParallel, step, context, isOnlyStep = false }: StepPlacement): NodeJson {
  const isAllowed = step.failure === 'continue' || (step.failure === undefined && context.isFailureAllowed);
  // A group in a sequence fails only when one of its steps stopped it, and then the sequence stops, too. A group with
  // "min_successful" also fails when too few branches succeed.
  const isStoppedGroup = compiled.action !== 'rw.exec' && compiled.min_successful === undefined && !isParallel;
  const stops = (isOnlyStep && !isAllowed) || isStoppedGroup;
  const onContinue = stops ? 'stop' : isAllowed ? 'continue' : context.build.defaultOnFail;
  const onFail = { continue: onContinue, branch: 'stop', root: 'abort' }[scope];
  if (onFail !== 'stop') compiled.rw = { ...compiled.rw, on_fail: onFail };
  return compiled;
}

function formatGroupIntent({ label, parallel }: TemplateNode, count: number | undefined): string {
  const how = parallel === true ? 'in parallel' : 'in sequence, each with the output of the previous one as its input';
  const what = count === undefined ? `Run the commands ${how}` : `Run ${count} ${count === 1 ? 'step' : 'steps'} ${how}`;
  return typeof label === 'string' && label.trim() !== '' ? `${label.trim()}: ${what.toLowerCase()}` : what;
}

// Compiles one command. The run fills in its words when the node starts.

/** One day. A template has no time limit by default, but every node of a recipe needs one. */
const maxTimeoutMs = 86_400_000;

/**
 * The action enforces the time limit of the command, so that the output is recorded. The timeout of the node comes later, as a
 * safety net.
 */
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

/** Returns undefined when a delay contains a placeholder, because only the run knows its value. */
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

// Picks only the values that this command reads. A node with the defaults of the whole tree would be hard to read.
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

// The recipe would replace double braces as its own references, before the template fills in its values.
function refuseDoubleBraces(words: readonly string[], context: CompileContext): void {
  const doubleBraceWord = words.find((word) => word.includes('{{'));
  if (doubleBraceWord === undefined) return;
  const message = `${JSON.stringify(doubleBraceWord)} contains "{{", which begins a reference in a compiled recipe. Put this part into a file or a value.`;
  throw createErrorAt('template.double_braces', message, context);
}

// A value of the caller must not become code, and quoting is not safe inside the language of another program.
function refuseValueAsCode(words: readonly string[], context: CompileContext): void {
  const codeValue = findValueAsCode(words);
  if (!codeValue) return;
  const message = `{${codeValue.name}} is in a place where ${codeValue.reader} reads code. Pass the value as a separate argument, as in sh -c 'cd "$1"' sh {dir}, or put the code into a file.`;
  throw createErrorAt('template.value_as_code', message, context);
}
