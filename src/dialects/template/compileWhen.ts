// The `when` of a template node as a predicate over the inputs of the recipe.
import type { Assertion } from '../../graph/predicate.js';
import { exactName, isTrue, type Layer } from './templateValues.js';

const name = '[A-Za-z_][A-Za-z0-9_-]*';

type Set = { defaults: Layer; fixed?: Layer | undefined };

/** Undefined for a node that always runs; a text for what cannot be said in a recipe. */
export function compileWhen(when: unknown, { defaults, fixed = {} }: Set): Assertion | undefined | string {
  if (when === undefined || when === true || when === 'true') return undefined;
  if (when === false || when === 'false') return never;
  const text = typeof when === 'string' ? when.trim() : '';
  const [, not, bare, braced, inline] =
    new RegExp(`^(?:(!?)(${name})|\\{(${name})(?::\\w+)?(?:=([^{}]*))?\\})$`).exec(text) ?? [];
  const flag = bare ?? braced;
  if (flag === undefined) return `"when" is ${JSON.stringify(when)}, of which no predicate can be made`;
  // What is written in the placeholder itself is the last that is asked.
  const { source, value = inline } = followed(flag, { ...defaults, ...fixed });
  if (typeof value === 'string' && value.includes('{'))
    return `"when" reads ${JSON.stringify(flag)}, whose default is a template`;
  if (Object.hasOwn(fixed, source)) return isTrue(value) === (not !== '!') ? undefined : never;
  return flagged(source, { isWanted: not !== '!', byDefault: isTrue(value) });
}

/** The inputs are an object, and so never missing or false. */
const never: Assertion = { source: 'inputs', path: '$', operator: 'falsy' };

function followed(flag: string, defaults: Layer): { source: string; value: unknown } {
  const seen = new Set<string>();
  for (let at = flag; ; ) {
    const value = Object.hasOwn(defaults, at) ? defaults[at] : undefined;
    const next = typeof value === 'string' ? exactName(value) : undefined;
    if (next === undefined || seen.has(next)) return { source: at, value };
    seen.add(next);
    at = next;
  }
}

function flagged(flag: string, { isWanted, byDefault }: { isWanted: boolean; byDefault: boolean }): Assertion {
  const at = { source: 'inputs', path: `$['${flag}']` };
  const given: Assertion = { ...at, operator: 'exists' };
  const no: Assertion = { ...at, operator: 'matches', value: '(?i)^\\s*(0|false|no)?\\s*$' };
  const holds: Assertion = isWanted
    ? { all: [given, { ...at, operator: 'truthy' }, { none: [no] }] }
    : { all: [given, { any: [{ ...at, operator: 'falsy' }, no] }] };
  return byDefault === isWanted ? { any: [{ none: [given] }, holds] } : holds;
}
