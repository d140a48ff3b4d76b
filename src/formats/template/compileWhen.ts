// Compiles the `when` of a template node to a predicate over the inputs of the recipe.
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

/** Undefined for a node that always runs. A text says why no predicate can be made. */
export function compileWhen(when: unknown, { defaults, fixed, args, round }: WhenContext): Assertion | undefined | string {
  if (when === undefined || when === true || when === 'true') return undefined;
  if (when === false || when === 'false') return neverHolds;
  const text = typeof when === 'string' ? when.trim() : '';
  const [, not, bare, braced, inline] =
    new RegExp(`^(?:(!?)(${namePattern})|\\{(${namePattern})(?::\\w+)?(?:=([^{}]*))?\\})$`).exec(text) ?? [];
  const flag = bare ?? braced;
  if (flag === undefined) return `"when" is ${JSON.stringify(when)}, of which no predicate can be made`;
  const settled = { ...fixed, ...pickRoundValues(round) };
  const { visited, names, value } = followFlag(flag, { settled, authored: { ...readArgDefaults(args), ...defaults } });
  const roundName =
    round && round.index === undefined ? visited.find((one) => Object.hasOwn(buildRoundValues(0, 1), one)) : undefined;
  if (roundName !== undefined) return `"when" reads {${roundName}}, which a repetition over a list only knows when it runs`;
  if (typeof value === 'string' && value.includes('{'))
    return `"when" reads ${JSON.stringify(flag)}, whose default is a template`;
  const isWanted = not !== '!';
  // The default in the placeholder itself comes last.
  const byDefault = isTruthy(value === undefined ? inline : value) === isWanted;
  if (names.length === 0) return byDefault ? undefined : neverHolds;
  return compileFirstPresent(names, { isWanted, byDefault, isText: braced !== undefined });
}

/** The inputs are an object, and so never falsy. */
const neverHolds: Assertion = { source: 'inputs', path: '$', operator: 'falsy' };

// The round comes before every other value of the same name.
function pickRoundValues(round: WhenContext['round']): Layer {
  return round?.index === undefined ? {} : buildRoundValues(round.index, Number(round.repeat));
}

type FlagLookup = { visited: string[]; names: string[]; value: unknown };

/** `names`: the inputs to ask, of which the first that has a value counts. `value`: the author's value when none has one. */
function followFlag(flag: string, { settled, authored }: { settled: Layer; authored: Layer }): FlagLookup {
  const visited = [flag];
  const names: string[] = [];
  for (let at = flag; ; visited.push(at)) {
    const isSettled = Object.hasOwn(settled, at);
    if (!isSettled) names.push(at);
    const layer = isSettled ? settled : authored;
    const value = Object.hasOwn(layer, at) ? layer[at] : undefined;
    const next = typeof value === 'string' ? parsePlaceholderName(value) : undefined;
    if (next === undefined || visited.includes(next)) return { visited, names, value };
    at = next;
  }
}

type Flag = { isWanted: boolean; byDefault: boolean; isText: boolean };

function compileFirstPresent([flag, ...others]: readonly string[], { isWanted, byDefault, isText }: Flag): Assertion {
  const input = { source: 'inputs', path: `$['${flag}']` };
  const isPresent: Assertion = { ...input, operator: 'exists' };
  const no: Assertion[] = [{ ...input, operator: 'matches', value: '(?i)^\\s*(0|false|no)?\\s*$' }];
  // As a text, an empty list is "[]", which is not empty.
  if (!isText) no.push({ ...input, operator: 'deep_eq', value: [] });
  const holds: Assertion = isWanted
    ? { all: [isPresent, { ...input, operator: 'truthy' }, { none: no }] }
    : { all: [isPresent, { any: [{ ...input, operator: 'falsy' }, ...no] }] };
  const isMissing: Assertion = { none: [isPresent] };
  if (others.length > 0)
    return { any: [holds, { all: [isMissing, compileFirstPresent(others, { isWanted, byDefault, isText })] }] };
  return byDefault ? { any: [isMissing, holds] } : holds;
}
