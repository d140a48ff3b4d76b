// Whether a setup module gives what it should: it may be JavaScript, which no compiler has looked at.

type Rule = readonly [field: string, is: (value: unknown, item: Record<string, unknown>) => boolean, expected: string];

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isProgram = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isText);
const isModel = (value: unknown): boolean => isObject(value) && isFunction(value.safeParse);
const effects: readonly unknown[] = ['none', 'reads', 'user', 'backdoor'];

const descriptionRule: Rule = ['description', isText, 'a text'];
const nameRule: Rule = ['name', isText, 'a text'];

const rules: Readonly<Record<string, readonly Rule[]>> = {
  actions: [
    nameRule,
    descriptionRule,
    ['schema', isModel, 'a zod schema'],
    ['examples', Array.isArray, 'a list'],
    ['effect', (value) => isFunction(value) || effects.includes(value), effects.join(', ')],
    ['run', isFunction, 'a function'],
  ],
  preconditions: [['id', isText, 'a text'], descriptionRule, ['check', isFunction, 'a function']],
  operators: [nameRule, descriptionRule, ['holds', isFunction, 'a function']],
  stateRefs: [nameRule, descriptionRule, ['read', isFunction, 'a function']],
  agents: [nameRule, ['run', (run, { argv }) => isFunction(run) || isProgram(argv), 'a function, unless "argv" is a program']],
  logic: [nameRule, ['run', isFunction, 'a function']],
  routers: [nameRule, ['route', isFunction, 'a function']],
};

/** What is wrong with it first, in a sentence without an end. */
export function validateSetup(setup: object): string | undefined {
  for (const [list, fields] of Object.entries(rules)) {
    const given: unknown = Reflect.get(setup, list);
    if (given === undefined) continue;
    if (!Array.isArray(given)) return `${JSON.stringify(list)} is ${kindOf(given)}, but it is to be a list`;
    for (const [index, item] of given.entries()) {
      const problem = validateItem(`${list}[${index}]`, item, fields);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function validateItem(place: string, item: unknown, fields: readonly Rule[]): string | undefined {
  if (!isObject(item)) return `${place} is ${kindOf(item)}, but it is to be an object`;
  const wrong = fields.find(([field, is]) => !is(item[field], item));
  if (!wrong) return undefined;
  const [field, , expected] = wrong;
  const label = [item.name, item.id].find(isText);
  const who = label === undefined ? place : `${place} (${JSON.stringify(label)})`;
  return `${who} has ${kindOf(item[field])} as ${JSON.stringify(field)}, but it is to be ${expected}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
