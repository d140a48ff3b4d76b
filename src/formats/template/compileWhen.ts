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

/** Returns undefined for a node that always runs, and a string with the reason when `when` cannot be translated. */
export function compileWhen(when: unknown, { defaults, fixed, args, round }: WhenContext): Assertion | undefined | string {
  if (when === undefined || when === true || when === 'true') return undefined;
  if (when === false || when === 'false') return neverHolds;
  const condition = typeof when === 'string' ? when.trim() : '';
  const [, not, bare, braced, inline] =
    new RegExp(`^(?:(!?)(${namePattern})|\\{(${namePattern})(?::\\w+)?(?:=([^{}]*))?\\})$`).exec(condition) ?? [];
  const flag = bare ?? braced;
  if (flag === undefined)
    return `"when" is ${JSON.stringify(when)}, which cannot be compiled. Write true, false, a name or !name`;
  const fixedValues = { ...fixed, ...pickRoundValues(round) };
  const { visited, names, value } = followFlag(flag, { fixedValues, authored: { ...readArgDefaults(args), ...defaults } });
  const roundName =
    round && round.index === undefined ? visited.find((name) => Object.hasOwn(buildRoundValues(0, 1), name)) : undefined;
  if (roundName !== undefined)
    return `"when" reads {${roundName}}, but the round of a repetition over a list is known only during the run`;
  if (typeof value === 'string' && value.includes('{'))
    return `"when" reads ${JSON.stringify(flag)}, whose default contains a placeholder`;
  const isWanted = not !== '!';
  // The default inside the placeholder has the lowest precedence.
  const byDefault = isTruthy(value === undefined ? inline : value) === isWanted;
  if (names.length === 0) return byDefault ? undefined : neverHolds;
  return compileFirstPresent(names, { isWanted, byDefault, isString: braced !== undefined });
}

/** Never holds, because the inputs are an object, which is never falsy. */
const neverHolds: Assertion = { source: 'inputs', path: '$', operator: 'falsy' };

// The values of the round take precedence over all other values of the same name.
function pickRoundValues(round: WhenContext['round']): Layer {
  return round?.index === undefined ? {} : buildRoundValues(round.index, Number(round.repeat));
}

type FlagLookup = { visited: string[]; names: string[]; value: unknown };

/**
 * `names` are the inputs to check, in order: the first with a value counts. `value` is the author's value when no input has one.
 */
function followFlag(flag: string, { fixedValues, authored }: { fixedValues: Layer; authored: Layer }): FlagLookup {
  const visited = [flag];
  const names: string[] = [];
  for (let at = flag; ; visited.push(at)) {
    const isFixed = Object.hasOwn(fixedValues, at);
    if (!isFixed) names.push(at);
    const layer = isFixed ? fixedValues : authored;
    const value = Object.hasOwn(layer, at) ? layer[at] : undefined;
    const next = typeof value === 'string' ? parsePlaceholderName(value) : undefined;
    if (next === undefined || visited.includes(next)) return { visited, names, value };
    at = next;
  }
}

/** `isString`: the flag is in braces, so its value is compared as a string. */
type Flag = { isWanted: boolean; byDefault: boolean; isString: boolean };

function compileFirstPresent([flag, ...others]: readonly string[], { isWanted, byDefault, isString }: Flag): Assertion {
  const input = { source: 'inputs', path: `$['${flag}']` };
  const isPresent: Assertion = { ...input, operator: 'exists' };
  const no: Assertion[] = [{ ...input, operator: 'matches', value: '(?i)^\\s*(0|false|no)?\\s*$' }];
  // As a string, an empty list is "[]", which is not empty.
  if (!isString) no.push({ ...input, operator: 'deep_eq', value: [] });
  const holds: Assertion = isWanted
    ? { all: [isPresent, { ...input, operator: 'truthy' }, { none: no }] }
    : { all: [isPresent, { any: [{ ...input, operator: 'falsy' }, ...no] }] };
  const isMissing: Assertion = { none: [isPresent] };
  if (others.length > 0)
    return { any: [holds, { all: [isMissing, compileFirstPresent(others, { isWanted, byDefault, isString })] }] };
  return byDefault ? { any: [isMissing, holds] } : holds;
}
