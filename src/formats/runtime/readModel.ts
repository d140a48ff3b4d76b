// Reads a value by a model and says what does not fit, in the words and at the locations of the reference.
import type { Field, Kind, Model } from './models.js';
import { topologyModel } from './models.js';
import { isObject, readFlag, readFloat, readInteger, readObject, readText, type Scalar } from './scalars.js';
import { danglingEdge } from './topologyEdges.js';
import { Numeral } from './written.js';

/** `loc` is the reference's location, branches of unions included; `keys` is where it stands in the document. */
export type ModelError = { loc: readonly (string | number)[]; keys: readonly string[]; type: string; msg: string };

/** Accepted, but not what the document asks for. */
export type Leniency = { keys: readonly string[]; given: unknown; taken: unknown };

type At = { loc: readonly (string | number)[]; keys: readonly string[]; errors: ModelError[]; lenient: Leniency[] };

export const invalid = Symbol('invalid');

export function readModel(model: Model, value: unknown): { value?: unknown; errors: ModelError[]; lenient: Leniency[] } {
  const at: At = { loc: [], keys: [], errors: [], lenient: [] };
  const read = readFields(model, value, at);
  const { errors, lenient } = at;
  return read === invalid ? { errors, lenient } : { value: read, errors, lenient };
}

function readKind(kind: Kind, value: unknown, at: At): unknown {
  if (kind.is === 'any') return value;
  if (kind.is === 'model') return readFields(kind.model, value, at);
  if (kind.is === 'either') return readEither(kind.options, value, at);
  if (kind.is === 'tagged') return readTagged(kind, value, at);
  if (kind.is === 'list') return readList(kind.of, value, at);
  if (kind.is === 'map') return readMap(kind.of, value, at);
  if (kind.is === 'one of') return readChoice(kind, value, at);
  if (kind.is === 'text') return readPattern(kind, value, at);
  return take(scalars[kind.is](value), value, at);
}

const scalars: Readonly<Record<'integer' | 'flag' | 'float' | 'object', (value: unknown) => Scalar>> = {
  integer: readInteger,
  flag: readFlag,
  float: readFloat,
  object: readObject,
};

function take(read: Scalar, given: unknown, at: At): unknown {
  if ('type' in read) return refuse(at, read.type, read.msg);
  if (read.lax) at.lenient.push({ keys: at.keys, given, taken: read.value });
  return read.value;
}

function refuse({ loc, keys, errors }: At, type: string, msg: string): typeof invalid {
  errors.push({ loc, keys, type, msg });
  return invalid;
}

function inside(at: At, key: string | number, ...branch: string[]): At {
  return { ...at, loc: [...at.loc, key, ...branch], keys: [...at.keys, String(key)] };
}

function readPattern({ pattern, strip, without }: Extract<Kind, { is: 'text' }>, given: unknown, at: At): unknown {
  const read = take(readText(given), given, at);
  if (typeof read !== 'string') return read;
  const text = strip ? read.trim() : read;
  if (pattern && !pattern.test(text))
    return refuse(at, 'string_pattern_mismatch', `String should match pattern '${pattern.source}'`);
  const taken = without ? text.replace(without, '') : text;
  if (taken !== read) at.lenient.push({ keys: at.keys, given, taken });
  return taken;
}

function readChoice({ values, error }: Extract<Kind, { is: 'one of' }>, value: unknown, at: At): unknown {
  if (typeof value === 'string' && values.includes(value)) return value;
  const quoted = values.map((one) => `'${one}'`);
  return refuse(at, error, `Input should be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`);
}

function readList(kind: Kind, value: unknown, at: At): unknown {
  if (!Array.isArray(value)) return refuse(at, 'list_type', 'Input should be a valid array');
  const items = value.map((item, index) => readKind(kind, item, inside(at, index)));
  return items.includes(invalid) ? invalid : items;
}

function readMap(kind: Kind, value: unknown, at: At): unknown {
  if (!isObject(value)) return refuse(at, 'dict_type', 'Input should be an object');
  const entries = Object.entries(value).map(([key, item]) => [key, readKind(kind, item, inside(at, key))] as const);
  return entries.some(([, item]) => item === invalid) ? invalid : Object.fromEntries(entries);
}

// Every branch is tried, and when none fits, all say why.
function readEither(options: Extract<Kind, { is: 'either' }>['options'], value: unknown, at: At): unknown {
  const tried = options.map(([name, kind]) => {
    const branch: At = { ...at, loc: [...at.loc, name], errors: [], lenient: [] };
    return { branch, read: readKind(kind, value, branch) };
  });
  const fits = tried.find(({ read }) => read !== invalid);
  if (fits) at.lenient.push(...fits.branch.lenient);
  else for (const { branch } of tried) at.errors.push(...branch.errors);
  return fits?.read ?? invalid;
}

function readTagged({ by, models }: Extract<Kind, { is: 'tagged' }>, value: unknown, at: At): unknown {
  if (!isObject(value)) return refuse(at, 'dict_type', 'Input should be an object');
  if (!Object.hasOwn(value, by)) return refuse(at, 'union_tag_not_found', `Unable to extract tag using discriminator '${by}'`);
  const tag = value[by];
  const model = typeof tag === 'string' ? models.get(tag) : undefined;
  if (model) return readFields(model, value, { ...at, loc: [...at.loc, String(tag)] });
  const expected = [...models.keys()].map((name) => `'${name}'`).join(', ');
  const msg = `Input tag '${pythonText(tag)}' found using '${by}' does not match any of the expected tags: ${expected}`;
  return refuse(at, 'union_tag_invalid', msg);
}

function pythonText(value: unknown): string {
  if (value === null) return 'None';
  if (value instanceof Numeral) return value.text;
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : typeof value === 'string' ? value : JSON.stringify(value);
}

// What is given is read in its own order; what is missing is told at the end.
function readFields(model: Model, value: unknown, at: At): unknown {
  if (!isObject(value)) return refuse(at, 'model_type', 'Input should be an object');
  const before = at.errors.length;
  const given = new Map<Field, unknown>();
  for (const [key, item] of Object.entries(value)) {
    const field = model.find(({ name, alias }) => name === key || alias === key);
    if (!field) refuse(inside(at, key), 'extra_forbidden', 'Extra inputs are not permitted');
    // Given by both names, the first one counts.
    else if (key === field.name || !Object.hasOwn(value, field.name)) given.set(field, readField(field, item, inside(at, key)));
    if (field && key === field.alias) at.lenient.push({ keys: [...at.keys, key], given: key, taken: field.name });
  }
  for (const field of model) {
    if (!given.has(field) && !field.optional) refuse({ ...at, loc: [...at.loc, field.name] }, 'missing', 'Field required');
  }
  if (at.errors.length > before) return invalid;
  const whole = Object.fromEntries(model.map((field) => [field.name, given.has(field) ? given.get(field) : field.fallback]));
  if (model !== topologyModel) return whole;
  const dangling = danglingEdge(whole);
  return dangling === undefined ? whole : refuse({ ...at, keys: dangling.keys }, 'value_error', `Value error, ${dangling.msg}`);
}

function readField({ kind, nullable }: Field, value: unknown, at: At): unknown {
  return value === null && nullable ? null : readKind(kind, value, at);
}
