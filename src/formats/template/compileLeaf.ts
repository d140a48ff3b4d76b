// One command as a node that is filled when it is reached.

import { type Around, type NodeJson, refused } from './compileNode.js';
import { numberOf } from './controls.js';
import { placeholdersIn } from './placeholdersIn.js';
import { asksModel, contextLines } from './recipeContext.js';
import { splitCommand } from './splitCommand.js';
import type { TemplateNode } from './templateNode.js';
import { honestValues, type Layer } from './templateValues.js';
import { valueAsCode } from './valueAsCode.js';

/** No time limit is set by default, which a recipe can only say as a very long one. */
export const aDayMs = 86_400_000;

/** The command keeps its time limit itself, so that what it wrote is kept; the node only sees to it that it comes to an end. */
const endingMs = 10_000;

export function compileLeaf(node: TemplateNode, around: Around): NodeJson {
  const words = splitCommand(typeof node.template === 'string' ? node.template : '');
  refuseBraces(words, around);
  refuseCode(words, around);
  const delays = [...around.delays, ...(node.delay === undefined ? [] : [node.delay])];
  const { defaults, set } = usedValues(words, node, around);
  return {
    action: 'rw.exec',
    intent: intentOf(node, words),
    argv: words,
    ...(Object.keys(defaults).length > 0 ? { defaults } : {}),
    ...(Object.keys(set).length > 0 ? { set } : {}),
    ...(around.args === undefined ? {} : { args: around.args }),
    ...(around.round ? { round: around.round } : {}),
    ...(delays.length > 0 ? { delays } : {}),
    ...contextOf(words, around),
    ...(node.timeout === undefined ? {} : { timeout: node.timeout }),
    timeout_ms: longestMs(node.timeout, delays),
    rw: { in: { values: { source: 'inputs' } } },
  };
}

function longestMs(timeout: unknown, delays: readonly unknown[]): number {
  const limitMs = literalMs(timeout, 'timeout') ?? 0;
  const waitsMs = sumOfDelays(delays);
  if (limitMs === 0 || waitsMs === undefined) return aDayMs;
  return Math.min(aDayMs, Math.ceil(limitMs + waitsMs) + endingMs);
}

/** Undefined when one of them is a value, which is only known when it runs. */
export function sumOfDelays(delays: readonly unknown[]): number | undefined {
  return delays.reduce<number | undefined>((sum, delay) => {
    const ms = literalMs(delay, 'delay');
    return sum === undefined || ms === undefined ? undefined : sum + ms;
  }, 0);
}

function literalMs(written: unknown, label: 'timeout' | 'delay'): number | undefined {
  if (typeof written === 'string' && written.includes('{')) return undefined;
  return numberOf(written, { label, values: honestValues({ given: {} }) }) ?? 0;
}

// Only what this command reads: the defaults of a whole tree at every leaf would hide what it is about.
function usedValues(words: readonly string[], node: TemplateNode, around: Around): { defaults: Layer; set: Layer } {
  const { defaults, fixed = {}, delays, round } = around;
  const wanted = new Set([...words, node.timeout, ...delays, node.delay, round?.repeat].flatMap(placeholdersIn));
  for (const name of wanted) {
    for (const layer of [defaults, fixed])
      if (isIn(layer, name)) for (const more of placeholdersIn(layer[name])) wanted.add(more);
  }
  const used = (layer: Layer, covered: Layer = {}): Layer =>
    Object.fromEntries([...wanted].flatMap((name) => (isIn(layer, name) && !isIn(covered, name) ? [[name, layer[name]]] : [])));
  return { defaults: used(defaults, fixed), set: used(fixed) };
}

function contextOf(words: readonly string[], { build, aliases }: Around): { context?: string } {
  const records = asksModel(words) ? build.context?.() : undefined;
  return records && records.length > 0 ? { context: contextLines(records, aliases) } : {};
}

const isIn = Object.hasOwn;

export function intentOf({ label }: TemplateNode, words: readonly string[]): string {
  const command = words.join(' ').replace(/\s+/g, ' ');
  const short = command.length > 120 ? `${command.slice(0, 119)}…` : command;
  if (typeof label !== 'string' || label.trim() === '') return `Run ${short}`;
  return /\s/.test(label.trim()) ? label.trim() : `${label.trim()}: run ${short}`;
}

// Two braces are a reference of the recipe itself, and would be filled in before the template is.
function refuseBraces(words: readonly string[], around: Around): void {
  const word = words.find((one) => one.includes('{{'));
  if (word === undefined) return;
  const message = `${JSON.stringify(word)} holds "{{", which is a reference in a compiled recipe. Put the text into a file or a value.`;
  throw refused('template.double_braces', message, around);
}

// What a caller gives must not become code, and no way of quoting it is safe inside of another program's language.
function refuseCode(words: readonly string[], around: Around): void {
  const found = valueAsCode(words);
  if (!found) return;
  const message = `{${found.name}} stands where ${found.reader} reads code. Hand the value over as an argument of its own, as in sh -c 'cd "$1"' sh {dir}, or put the code into a file.`;
  throw refused('template.value_as_code', message, around);
}
