// Sequences, branches side by side, and repetitions, as regions of Recipe v1.
import { aDayMs, sumOfDelays } from './compileLeaf.js';
import { type Around, compileNode, type NodeJson, refused } from './compileNode.js';
import { countOf, failureScope, numberOf, type Scope, widest } from './controls.js';
import { mostBranches, mostRounds, tooManyRounds, tooWide } from './openNode.js';
import { labelOf, type TemplateNode, toNode } from './templateNode.js';
import { exactName, honestValues, type Layer } from './templateValues.js';

type Step = { id: string; node: TemplateNode; around: Around };

export function compileGroup(node: TemplateNode, around: Around): NodeJson {
  const { repeat } = node;
  if (repeat === undefined) return groupOf(node, stepsOf(node, around), around);
  const list = typeof repeat === 'string' ? /^\{?([A-Za-z_][A-Za-z0-9_-]*)\.length\}?$/.exec(repeat.trim())?.[1] : undefined;
  const once = roundOf(node);
  // A time limit is that of each round.
  const { timeout: _, ...outer } = node;
  if (list !== undefined) return eachOf(outer, { list, once }, around);
  const count = Number(repeat);
  if (!Number.isInteger(count) || count < 1) {
    throw refused('template.invalid_repeat', 'Command template repeat must be a positive integer or {array.length}.', around);
  }
  if (count > mostRounds) throw refused('template.too_many_rounds', tooManyRounds(count).message, around);
  const rounds = Array.from({ length: count }, (_unused, index): Step => {
    return { id: `round-${index + 1}`, node: once, around: { ...around, round: { index, repeat: count } } };
  });
  return groupOf(outer, rounds, around);
}

/** What is repeated, without what counts once for all rounds. */
function roundOf(node: TemplateNode): TemplateNode {
  const { repeat: _, delay: __, when: ___, failure, concurrency, min_successful, defaults, args, values, ...once } = node;
  return { ...once, ...marked({ failure }) };
}

/** A round may fail where what is repeated may. */
function marked({ failure }: TemplateNode): { failure?: unknown } {
  return failure === 'continue' ? { failure } : {};
}

function stepsOf({ template }: TemplateNode, around: Around): Step[] {
  const steps = Array.isArray(template) ? template : [];
  return steps.map((step, index) => {
    if (Array.isArray(step))
      throw refused(
        'template.nested_list',
        'A step of a list cannot be a list itself: put it into { "template": [ … ] }.',
        around,
      );
    const pointer = `${around.inner}/${index}`;
    return { id: `step-${index + 1}`, node: toNode(step), around: { ...around, pointer, inner: `${pointer}/template` } };
  });
}

function groupOf(node: TemplateNode, steps: readonly Step[], around: Around): NodeJson {
  if (steps.length === 0) throw refused('template.no_steps', 'Tool template produced no command steps.', around);
  const isParallel = node.parallel === true;
  if (isParallel && node.concurrency === undefined && steps.length > mostBranches)
    throw refused('template.too_wide', tooWide(steps.length, mostBranches).message, around);
  const failure = failureScope(node.failure);
  const quorum = quorumOf(node, around, { most: steps.length });
  // What ends the run ends it after the last try, as the whole group does then.
  const isContained = around.isTried === true && failure === 'root' && !isParallel;
  // The only step of a recipe is all of it, also to the reference.
  const isAlone = around.pointer === '/template' && steps.length === 1 && !isParallel;
  const body = steps.map(({ id, node: step, around: at }, index) => {
    const delays = isParallel || index === 0 ? waits(node, around) : [];
    const known = { defaults: around.defaults, fixed: around.fixed, args: around.args };
    const made = compileNode(step, { ...at, ...known, delays });
    if (quorum) return [id, mayFail(made, step)] as const;
    const scope = isContained ? 'branch' : scopeOf(step, { failure, isParallel });
    return [id, onFail(made, { scope, isParallel, step, around, isAlone })] as const;
  });
  return {
    action: 'rw.group',
    intent: intentOf(node, steps.length),
    order: isParallel ? 'together' : 'in_turn',
    pipe: true,
    ...limitOf(node, around),
    ...quorum,
    ...(isParallel ? { join: steps.map(({ node: step }, index) => labelOf(step, index)) } : {}),
    ...deadlineOf(node, around),
    body: { nodes: Object.fromEntries(body) },
  };
}

function eachOf(node: TemplateNode, { list, once }: { list: string; once: TemplateNode }, around: Around): NodeJson {
  const source = listSource(list, { ...around.defaults, ...around.fixed });
  around.build.lists.add(source);
  const failure = failureScope(node.failure);
  const isParallel = node.parallel === true;
  const quorum = quorumOf(node, around, { most: mostRounds });
  const round = { repeat: `{${source}.length}` };
  const child = compileNode(once, { ...around, delays: waits(node, around), round });
  const scope = scopeOf(once, { failure, isParallel });
  const made = quorum ? mayFail(child, once) : onFail(child, { scope, isParallel, step: once, around });
  return {
    action: 'rw.each',
    intent: `${intentOf(node, undefined)}, once for each of ${list}`,
    ...(isParallel ? limitOf(node, around) : { limit: 1 }),
    ...quorum,
    join: isParallel ? labelOnly(node) : [],
    ...deadlineOf(node, around),
    body: { nodes: { round: made } },
    rw: { in: { items: { source: 'inputs', path: `$['${source}']` } } },
  };
}

function labelOnly({ label }: TemplateNode): string[] {
  return typeof label === 'string' && label !== '' ? [label] : ['branch'];
}

function listSource(list: string, defaults: Layer): string {
  const seen = new Set([list]);
  for (let at = list; ; ) {
    const value = Object.hasOwn(defaults, at) ? defaults[at] : undefined;
    const next = typeof value === 'string' ? exactName(value) : undefined;
    if (next === undefined || seen.has(next)) return at;
    seen.add(next);
    at = next;
  }
}

function waits({ delay }: TemplateNode, { delays }: Around): readonly unknown[] {
  return delay === undefined ? delays : [...delays, delay];
}

function limitOf({ concurrency }: TemplateNode, { defaults }: Around): { limit?: number } {
  const limit = countOf(concurrency, { label: 'concurrency', values: honestValues({ given: {}, defaults }) });
  return limit === undefined ? {} : { limit };
}

type Quorum = { min_successful: number; reach?: Exclude<Scope, 'continue'> };

/** How many of the branches must succeed; it means nothing where there are none. */
function quorumOf(node: TemplateNode, { defaults, ...around }: Around, { most }: { most: number }): Quorum | undefined {
  if (node.parallel !== true) return undefined;
  const count = countOf(node.min_successful, { label: 'min_successful', values: honestValues({ given: {}, defaults }) });
  if (count === undefined) return undefined;
  if (count <= most) return { min_successful: count, ...reachOf(node) };
  const message = `"min_successful" is ${count}, but there are ${most} branches: they could never be enough.`;
  throw refused('template.too_many_successes', message, around);
}

// The reference counts nobody: what the group says of failures is its rule for each of them, but that it forgets it of rounds.
function reachOf({ failure, repeat }: TemplateNode): Pick<Quorum, 'reach'> {
  const scope = failureScope(failure);
  return scope === 'continue' || (scope === 'branch' && repeat !== undefined) ? {} : { reach: scope };
}

// Whether a branch may fail is for the group to say, which counts those that did not; one that ends the run still does.
function mayFail(made: NodeJson, { failure }: TemplateNode): NodeJson {
  made.rw = { ...made.rw, on_fail: failureScope(failure) === 'root' ? 'abort' : 'continue' };
  return made;
}

// What it waits for before it begins is waited for inside of it, by its first step.
function deadlineOf(node: TemplateNode, around: Around): { timeout_ms?: number } {
  const values = honestValues({ given: {}, defaults: around.defaults });
  const ms = numberOf(node.timeout, { label: 'timeout', values }) ?? 0;
  if (ms === 0) return {};
  const waitsMs = sumOfDelays(waits(node, around));
  if (waitsMs !== undefined) return { timeout_ms: Math.min(aDayMs, Math.max(1, Math.round(ms + waitsMs))) };
  const message = '"delay" of a group that has a "timeout" cannot be compiled when it is a value. Write a number.';
  throw refused('template.unsupported_field', message, around);
}

type Group = { failure: Scope; isParallel: boolean };

// A branch that stops stops only itself, unless what it is a branch of says that it stops too.
function scopeOf(step: TemplateNode, { failure, isParallel }: Group): Scope {
  const own = failureScope(step.failure);
  return isParallel ? widest(own === 'branch' ? 'continue' : own, failure) : widest(own, failure);
}

type Placed = { scope: Scope; isParallel: boolean; step: TemplateNode; around: Around; isAlone?: boolean };

/** Unmarked, a failure is passed over as in the reference, and still fails the recipe. */
function onFail(made: NodeJson, { scope, isParallel, step, around, isAlone = false }: Placed): NodeJson {
  const isAllowed = step.failure === 'continue' || (step.failure === undefined && around.isForgiven);
  // A group fails only when something in it stopped it, which then stops the sequence around it too; or when too few succeeded.
  const isStopped = made.action !== 'rw.exec' && made.min_successful === undefined && !isParallel;
  const stops = (isAlone && !isAllowed) || isStopped;
  const passedOver = stops ? 'stop' : isAllowed ? 'continue' : around.build.unmarked;
  const reach = { continue: passedOver, branch: 'stop', root: 'abort' }[scope];
  if (reach !== 'stop') made.rw = { ...made.rw, on_fail: reach };
  return made;
}

function intentOf({ label, parallel }: TemplateNode, count: number | undefined): string {
  const how = parallel === true ? 'side by side' : 'one after the other, each fed by the one before';
  const what = count === undefined ? `Run the commands ${how}` : `Run ${count} ${count === 1 ? 'step' : 'steps'} ${how}`;
  return typeof label === 'string' && label.trim() !== '' ? `${label.trim()}: ${what.toLowerCase()}` : what;
}
