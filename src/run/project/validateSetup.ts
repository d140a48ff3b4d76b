// Validates the default export of a setup module, which may be JavaScript that no compiler has checked.

type Rule = readonly [field: string, isValid: (value: unknown, item: Record<string, unknown>) => boolean, expected: string];

const isNonEmptyString = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isProgram = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isNonEmptyString);
const isModel = (value: unknown): boolean => isObject(value) && isFunction(value.safeParse);
const effects: readonly unknown[] = ['none', 'reads', 'user', 'backdoor'];

const descriptionRule: Rule = ['description', isNonEmptyString, 'a non-empty string'];
const nameRule: Rule = ['name', isNonEmptyString, 'a non-empty string'];

const rules: Readonly<Record<string, readonly Rule[]>> = {
  actions: [
    nameRule,
    descriptionRule,
    ['schema', isModel, 'a zod schema'],
    ['examples', Array.isArray, 'an array'],
    ['effect', (value) => isFunction(value) || effects.includes(value), `one of ${effects.join(', ')}`],
    ['run', isFunction, 'a function'],
  ],
  preconditions: [['id', isNonEmptyString, 'a non-empty string'], descriptionRule, ['check', isFunction, 'a function']],
  operators: [nameRule, descriptionRule, ['holds', isFunction, 'a function']],
  stateRefs: [nameRule, descriptionRule, ['read', isFunction, 'a function']],
  agents: [nameRule, ['run', (run, { argv }) => isFunction(run) || isProgram(argv), 'a function, unless "argv" names a program']],
  logic: [nameRule, ['run', isFunction, 'a function']],
  routers: [nameRule, ['route', isFunction, 'a function']],
};

/** Returns the first problem as a clause without a full stop, or undefined for a valid setup. */
export function validateSetup(setup: object): string | undefined {
  for (const [list, fields] of Object.entries(rules)) {
    const items: unknown = Reflect.get(setup, list);
    if (items === undefined) continue;
    if (!Array.isArray(items)) return `${JSON.stringify(list)} is ${kindOf(items)}, but must be an array`;
    for (const [index, item] of items.entries()) {
      const problem = validateItem(`${list}[${index}]`, item, fields);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function validateItem(place: string, item: unknown, fields: readonly Rule[]): string | undefined {
  if (!isObject(item)) return `${place} is ${kindOf(item)}, but must be an object`;
  const brokenRule = fields.find(([field, isValid]) => !isValid(item[field], item));
  if (!brokenRule) return undefined;
  const [field, , expected] = brokenRule;
  const label = [item.name, item.id].find(isNonEmptyString);
  const subject = label === undefined ? place : `${place} (${JSON.stringify(label)})`;
  return `${JSON.stringify(field)} of ${subject} is ${describeValue(item[field])}, but must be ${expected}`;
}

function describeValue(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : kindOf(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
