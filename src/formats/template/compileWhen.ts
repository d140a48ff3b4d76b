// The `when` of a template node as a predicate over the inputs of the recipe.
import type { Assertion } from '../../recipe/recipe.js';
import { roundValues } from './controls.js';
import type { Declared } from './declarations.js';
import { argDefaults, exactName, isTrue, type Layer } from './templateValues.js';

const name = '[A-Za-z_][A-Za-z0-9_-]*';

type Known = {
  defaults: Layer;
  fixed?: Layer | undefined;
  args?: Declared;
  round?: { index?: number; repeat: number | string } | undefined;
};

/** Undefined for a node that always runs; a text for what cannot be said in a recipe. */
export function compileWhen(when: unknown, { defaults, fixed, args, round }: Known): Assertion | undefined | string {
  if (when === undefined || when === true || when === 'true') return undefined;
  if (when === false || when === 'false') return never;
  const text = typeof when === 'string' ? when.trim() : '';
  const [, not, bare, braced, inline] =
    new RegExp(`^(?:(!?)(${name})|\\{(${name})(?::\\w+)?(?:=([^{}]*))?\\})$`).exec(text) ?? [];
  const flag = bare ?? braced;
  if (flag === undefined) return `"when" is ${JSON.stringify(when)}, of which no predicate can be made`;
  const settled = { ...fixed, ...turnOf(round) };
  const { way, asked, value } = followed(flag, { settled, authored: { ...argDefaults(args), ...defaults } });
  const counted = round && round.index === undefined ? way.find((one) => Object.hasOwn(roundValues(0, 1), one)) : undefined;
  if (counted !== undefined) return `"when" reads {${counted}}, which a repetition over a list only knows when it runs`;
  if (typeof value === 'string' && value.includes('{'))
    return `"when" reads ${JSON.stringify(flag)}, whose default is a template`;
  const isWanted = not !== '!';
  // What is written in the placeholder itself is the last that is asked.
  const byDefault = isTrue(value === undefined ? inline : value) === isWanted;
  if (asked.length === 0) return byDefault ? undefined : never;
  return firstGiven(asked, { isWanted, byDefault, isText: braced !== undefined });
}

/** The inputs are an object, and so never missing or false. */
const never: Assertion = { source: 'inputs', path: '$', operator: 'falsy' };

// Which round it is comes before everything else that has the name.
function turnOf(round: Known['round']): Layer {
  return round?.index === undefined ? {} : roundValues(round.index, Number(round.repeat));
}

type Followed = { way: string[]; asked: string[]; value: unknown };

/** Which inputs are asked, of which the first that is given counts, and what the author says where none is. */
function followed(flag: string, { settled, authored }: { settled: Layer; authored: Layer }): Followed {
  const way = [flag];
  const asked: string[] = [];
  for (let at = flag; ; way.push(at)) {
    const isSettled = Object.hasOwn(settled, at);
    if (!isSettled) asked.push(at);
    const layer = isSettled ? settled : authored;
    const value = Object.hasOwn(layer, at) ? layer[at] : undefined;
    const next = typeof value === 'string' ? exactName(value) : undefined;
    if (next === undefined || way.includes(next)) return { way, asked, value };
    at = next;
  }
}

type Flag = { isWanted: boolean; byDefault: boolean; isText: boolean };

function firstGiven([flag, ...others]: readonly string[], { isWanted, byDefault, isText }: Flag): Assertion {
  const at = { source: 'inputs', path: `$['${flag}']` };
  const given: Assertion = { ...at, operator: 'exists' };
  const no: Assertion[] = [{ ...at, operator: 'matches', value: '(?i)^\\s*(0|false|no)?\\s*$' }];
  // Written out as a text, a list is its brackets at least.
  if (!isText) no.push({ ...at, operator: 'deep_eq', value: [] });
  const holds: Assertion = isWanted
    ? { all: [given, { ...at, operator: 'truthy' }, { none: no }] }
    : { all: [given, { any: [{ ...at, operator: 'falsy' }, ...no] }] };
  const missing: Assertion = { none: [given] };
  if (others.length > 0) return { any: [holds, { all: [missing, firstGiven(others, { isWanted, byDefault, isText })] }] };
  return byDefault ? { any: [missing, holds] } : holds;
}
