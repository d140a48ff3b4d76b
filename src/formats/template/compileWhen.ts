// The `when` of a template node as a predicate over the inputs of the recipe.
import type { Assertion } from '../../recipe/recipe.js';
import type { ArgDeclarations } from './argDeclarations.js';
import { buildRoundValues } from './controls.js';
import { isTruthy, type Layer, parsePlaceholderName, readArgDefaults } from './templateValues.js';

const namePattern = '[A-Za-z_][A-Za-z0-9_-]*';

type WhenContext = {
  defaults: Layer;
  fixed?: Layer | undefined;
  args?: ArgDeclarations;
  round?: { index?: number; repeat: number | string } | undefined;
};

/** Undefined for a node that always runs; a text for what cannot be said in a recipe. */
export function compileWhen(when: unknown, { defaults, fixed, args, round }: WhenContext): Assertion | undefined | string {
  if (when === undefined || when === true || when === 'true') return undefined;
  if (when === false || when === 'false') return neverHolds;
  const text = typeof when === 'string' ? when.trim() : '';
  const [, not, bare, braced, inline] =
    new RegExp(`^(?:(!?)(${namePattern})|\\{(${namePattern})(?::\\w+)?(?:=([^{}]*))?\\})$`).exec(text) ?? [];
  const flag = bare ?? braced;
  if (flag === undefined) return `"when" is ${JSON.stringify(when)}, of which no predicate can be made`;
  const settled = { ...fixed, ...pickRoundValues(round) };
  const { visited, asked, value } = followFlag(flag, { settled, authored: { ...readArgDefaults(args), ...defaults } });
  const roundName =
    round && round.index === undefined ? visited.find((one) => Object.hasOwn(buildRoundValues(0, 1), one)) : undefined;
  if (roundName !== undefined) return `"when" reads {${roundName}}, which a repetition over a list only knows when it runs`;
  if (typeof value === 'string' && value.includes('{'))
    return `"when" reads ${JSON.stringify(flag)}, whose default is a template`;
  const isWanted = not !== '!';
  // What is written in the placeholder itself is the last that is asked.
  const byDefault = isTruthy(value === undefined ? inline : value) === isWanted;
  if (asked.length === 0) return byDefault ? undefined : neverHolds;
  return compileFirstGiven(asked, { isWanted, byDefault, isText: braced !== undefined });
}

/** The inputs are an object, and so never missing or false. */
const neverHolds: Assertion = { source: 'inputs', path: '$', operator: 'falsy' };

// Which round it is comes before everything else that has the name.
function pickRoundValues(round: WhenContext['round']): Layer {
  return round?.index === undefined ? {} : buildRoundValues(round.index, Number(round.repeat));
}

type FollowedFlag = { visited: string[]; asked: string[]; value: unknown };

/** Which inputs are asked, of which the first that is given counts, and what the author says where none is. */
function followFlag(flag: string, { settled, authored }: { settled: Layer; authored: Layer }): FollowedFlag {
  const visited = [flag];
  const asked: string[] = [];
  for (let at = flag; ; visited.push(at)) {
    const isSettled = Object.hasOwn(settled, at);
    if (!isSettled) asked.push(at);
    const layer = isSettled ? settled : authored;
    const value = Object.hasOwn(layer, at) ? layer[at] : undefined;
    const next = typeof value === 'string' ? parsePlaceholderName(value) : undefined;
    if (next === undefined || visited.includes(next)) return { visited, asked, value };
    at = next;
  }
}

type Flag = { isWanted: boolean; byDefault: boolean; isText: boolean };

function compileFirstGiven([flag, ...others]: readonly string[], { isWanted, byDefault, isText }: Flag): Assertion {
  const input = { source: 'inputs', path: `$['${flag}']` };
  const isGiven: Assertion = { ...input, operator: 'exists' };
  const no: Assertion[] = [{ ...input, operator: 'matches', value: '(?i)^\\s*(0|false|no)?\\s*$' }];
  // Written out as a text, a list is its brackets at least.
  if (!isText) no.push({ ...input, operator: 'deep_eq', value: [] });
  const holds: Assertion = isWanted
    ? { all: [isGiven, { ...input, operator: 'truthy' }, { none: no }] }
    : { all: [isGiven, { any: [{ ...input, operator: 'falsy' }, ...no] }] };
  const isMissing: Assertion = { none: [isGiven] };
  if (others.length > 0)
    return { any: [holds, { all: [isMissing, compileFirstGiven(others, { isWanted, byDefault, isText })] }] };
  return byDefault ? { any: [isMissing, holds] } : holds;
}
