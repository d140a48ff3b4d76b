// Reads a manifest by its models. Errors have the messages and locations of the reference implementation, which uses pydantic.
import type { Manifest, Topology } from './manifest.js';
import { type Field, type FieldKind, type Model, manifestModel, topologyModel } from './manifestModel.js';
import { formatFloat, isObject, Numeral, parsePythonJson, toPlainJson } from './python/pythonJson.js';

/**
 * `loc`: the location as the reference implementation reports it, with branches of unions. `keys`: the position in the document.
 */
export type ModelError = { loc: readonly (string | number)[]; keys: readonly string[]; type: string; msg: string };

/** A value that the models accept, but the specification does not. */
export type Leniency = { keys: readonly string[]; authored: unknown; accepted: unknown };

type ReadPosition = { loc: readonly (string | number)[]; keys: readonly string[]; errors: ModelError[]; lenient: Leniency[] };

const invalid = Symbol('invalid');

function readModel(model: Model, value: unknown): { value?: unknown; errors: ModelError[]; lenient: Leniency[] } {
  const at: ReadPosition = { loc: [], keys: [], errors: [], lenient: [] };
  const read = readFields(model, value, at);
  const { errors, lenient } = at;
  return read === invalid ? { errors, lenient } : { value: read, errors, lenient };
}

function readKind(kind: FieldKind, value: unknown, at: ReadPosition): unknown {
  if (kind.type === 'any') return value;
  if (kind.type === 'model') return readFields(kind.model, value, at);
  if (kind.type === 'either') return readEither(kind.options, value, at);
  if (kind.type === 'tagged') return readTagged(kind, value, at);
  if (kind.type === 'list') return readList(kind.of, value, at);
  if (kind.type === 'map') return readMap(kind.of, value, at);
  if (kind.type === 'one of') return readChoice(kind, value, at);
  if (kind.type === 'text') return readPattern(kind, value, at);
  return acceptScalar(scalars[kind.type](value), value, at);
}

const scalars: Readonly<Record<'integer' | 'flag' | 'float' | 'object', (value: unknown) => ScalarRead>> = {
  integer: readInteger,
  flag: readFlag,
  float: readFloat,
  object: readObject,
};

function acceptScalar(read: ScalarRead, authored: unknown, at: ReadPosition): unknown {
  if ('type' in read) return reject(at, read.type, read.msg);
  if (read.lax) at.lenient.push({ keys: at.keys, authored, accepted: read.value });
  return read.value;
}

function reject({ loc, keys, errors }: ReadPosition, type: string, msg: string): typeof invalid {
  errors.push({ loc, keys, type, msg });
  return invalid;
}

function childPosition(at: ReadPosition, key: string | number, ...branch: string[]): ReadPosition {
  return { ...at, loc: [...at.loc, key, ...branch], keys: [...at.keys, String(key)] };
}

function readPattern(
  { pattern, strip, without }: Extract<FieldKind, { type: 'text' }>,
  authored: unknown,
  at: ReadPosition,
): unknown {
  const read = acceptScalar(readText(authored), authored, at);
  if (typeof read !== 'string') return read;
  const text = strip ? read.trim() : read;
  if (pattern && !pattern.test(text))
    return reject(at, 'string_pattern_mismatch', `String should match pattern '${pattern.source}'`);
  const accepted = without ? text.replace(without, '') : text;
  if (accepted !== read) at.lenient.push({ keys: at.keys, authored, accepted });
  return accepted;
}

function readChoice({ values, error }: Extract<FieldKind, { type: 'one of' }>, value: unknown, at: ReadPosition): unknown {
  if (typeof value === 'string' && values.includes(value)) return value;
  const quoted = values.map((choice) => `'${choice}'`);
  return reject(at, error, `Input should be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`);
}

function readList(kind: FieldKind, value: unknown, at: ReadPosition): unknown {
  if (!Array.isArray(value)) return reject(at, 'list_type', 'Input should be a valid array');
  const items = value.map((item, index) => readKind(kind, item, childPosition(at, index)));
  return items.includes(invalid) ? invalid : items;
}

function readMap(kind: FieldKind, value: unknown, at: ReadPosition): unknown {
  if (!isObject(value)) return reject(at, 'dict_type', 'Input should be an object');
  const entries = Object.entries(value).map(([key, item]) => [key, readKind(kind, item, childPosition(at, key))] as const);
  return entries.some(([, item]) => item === invalid) ? invalid : Object.fromEntries(entries);
}

// Tries every branch. When none fits, the errors of all branches are reported.
function readEither(options: Extract<FieldKind, { type: 'either' }>['options'], value: unknown, at: ReadPosition): unknown {
  const attempts = options.map(([name, kind]) => {
    const branch: ReadPosition = { ...at, loc: [...at.loc, name], errors: [], lenient: [] };
    return { branch, read: readKind(kind, value, branch) };
  });
  const match = attempts.find(({ read }) => read !== invalid);
  if (match) at.lenient.push(...match.branch.lenient);
  else for (const { branch } of attempts) at.errors.push(...branch.errors);
  return match?.read ?? invalid;
}

function readTagged({ by, models }: Extract<FieldKind, { type: 'tagged' }>, value: unknown, at: ReadPosition): unknown {
  if (!isObject(value)) return reject(at, 'dict_type', 'Input should be an object');
  if (!Object.hasOwn(value, by)) return reject(at, 'union_tag_not_found', `Unable to extract tag using discriminator '${by}'`);
  const tag = value[by];
  const model = typeof tag === 'string' ? models.get(tag) : undefined;
  if (model) return readFields(model, value, { ...at, loc: [...at.loc, String(tag)] });
  const expected = [...models.keys()].map((name) => `'${name}'`).join(', ');
  const msg = `Input tag '${printTag(tag)}' found using '${by}' does not match any of the expected tags: ${expected}`;
  return reject(at, 'union_tag_invalid', msg);
}

function printTag(value: unknown): string {
  if (value === null) return 'None';
  if (value instanceof Numeral) return value.text;
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : typeof value === 'string' ? value : JSON.stringify(value);
}

// Reads the fields in the order of the document. Missing fields are reported last, as in the reference implementation.
function readFields(model: Model, value: unknown, at: ReadPosition): unknown {
  if (!isObject(value)) return reject(at, 'model_type', 'Input should be an object');
  const errorsBefore = at.errors.length;
  const readValues = new Map<Field, unknown>();
  for (const [key, item] of Object.entries(value)) {
    const field = model.find(({ name, alias }) => name === key || alias === key);
    if (!field) reject(childPosition(at, key), 'extra_forbidden', 'Extra inputs are not permitted');
    // When both names are present, the alias is ignored.
    else if (key === field.name || !Object.hasOwn(value, field.name))
      readValues.set(field, readField(field, item, childPosition(at, key)));
    if (field && key === field.alias) at.lenient.push({ keys: [...at.keys, key], authored: key, accepted: field.name });
  }
  for (const field of model) {
    if (!readValues.has(field) && !field.optional) reject({ ...at, loc: [...at.loc, field.name] }, 'missing', 'Field required');
  }
  if (at.errors.length > errorsBefore) return invalid;
  const complete = Object.fromEntries(
    model.map((field) => [field.name, readValues.has(field) ? readValues.get(field) : field.fallback]),
  );
  if (model !== topologyModel) return complete;
  const dangling = findDanglingEdge(complete);
  return dangling === undefined
    ? complete
    : reject({ ...at, keys: dangling.keys }, 'value_error', `Value error, ${dangling.msg}`);
}

function readField({ kind, nullable }: Field, value: unknown, at: ReadPosition): unknown {
  return value === null && nullable ? null : readKind(kind, value, at);
}

export type ManifestRead = {
  /** Undefined when the document has errors. */
  manifest?: Manifest;
  /** The same manifest with numbers as `Numeral`s, which keep their spelling. */
  withNumerals?: { topology: unknown };
  /** The topology without defaults. */
  authoredTopology?: unknown;
  errors: ModelError[];
  lenient: Leniency[];
};

/** Reads the text and not its JSON value, because the spelling of numbers is needed. */
export function readManifest(text: string): ManifestRead {
  return readManifestValue(parsePythonJson(text));
}

/** `value`: JSON with its numbers as `Numeral`s. */
export function readManifestValue(value: unknown): ManifestRead {
  const { value: withNumerals, errors, lenient } = readModel(manifestModel, value);
  if (withNumerals === undefined) return { errors, lenient };
  const manifest = toPlainJson(withNumerals) as Manifest;
  return {
    manifest,
    withNumerals: withNumerals as { topology: unknown },
    authoredTopology: (value as { topology: unknown }).topology,
    errors,
    lenient,
  };
}

// The next functions accept what the reference implementation accepts, which is more than its specification: "5" is a number,
// "yes" is true.

/** `lax`: the value was converted from another type. */
type ScalarRead = { value: unknown; lax?: true } | { type: string; msg: string };

function readText(value: unknown): ScalarRead {
  return typeof value === 'string' ? { value } : { type: 'string_type', msg: 'Input should be a valid string' };
}

function readInteger(value: unknown): ScalarRead {
  const msg = 'Input should be a valid integer';
  if (value instanceof Numeral) {
    if (value.kind === 'int') return { value };
    const number = Number(value.text);
    if (Number.isInteger(number)) return { value: new Numeral('int', BigInt(number).toString()), lax: true };
    return { type: 'int_from_float', msg: `${msg}, got a number with a fractional part` };
  }
  if (typeof value === 'boolean') return { value: new Numeral('int', value ? '1' : '0'), lax: true };
  if (typeof value !== 'string') return { type: 'int_type', msg };
  const digits = /^([+-]?)(\d+(?:_\d+)*)(?:\.0*)?$/.exec(value.trim());
  if (!digits) return { type: 'int_parsing', msg: `${msg}, unable to parse string as an integer` };
  const number = BigInt((digits[2] ?? '').replaceAll('_', ''));
  return { value: new Numeral('int', String(digits[1] === '-' ? -number : number)), lax: true };
}

const trueTexts = new Set(['true', 't', 'yes', 'y', 'on', '1']);
const falseTexts = new Set(['false', 'f', 'no', 'n', 'off', '0']);

function readFlag(value: unknown): ScalarRead {
  if (typeof value === 'boolean') return { value };
  const msg = 'Input should be a valid boolean';
  const isNumber = value instanceof Numeral;
  if (!isNumber && typeof value !== 'string') return { type: 'bool_type', msg };
  const word = isNumber ? String(Number(value.text)) : value.toLowerCase();
  if (trueTexts.has(word)) return { value: true, lax: true };
  if (falseTexts.has(word)) return { value: false, lax: true };
  return { type: 'bool_parsing', msg: `${msg}, unable to interpret input` };
}

function readFloat(value: unknown): ScalarRead {
  const msg = 'Input should be a valid number';
  if (value instanceof Numeral) return { value: new Numeral('float', formatFloat(Number(value.text))) };
  if (typeof value === 'boolean') return { value: new Numeral('float', value ? '1.0' : '0.0'), lax: true };
  if (typeof value !== 'string') return { type: 'float_type', msg };
  const number = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) return { type: 'float_parsing', msg: `${msg}, unable to parse string as a number` };
  return { value: new Numeral('float', formatFloat(number)), lax: true };
}

function readObject(value: unknown): ScalarRead {
  return isObject(value) ? { value } : { type: 'dict_type', msg: 'Input should be an object' };
}

/** Finds the first edge whose source or target is not a node. Like the reference implementation, reports only this edge. */
function findDanglingEdge(topology: unknown): { keys: readonly string[]; msg: string } | undefined {
  const { nodes, edges } = topology as Topology;
  const ids = new Set(nodes.map(({ id }) => id));
  for (const [index, edge] of edges.entries()) {
    const at = (...rest: string[]): string[] => ['topology', 'edges', String(index), ...rest];
    if (!ids.has(edge.source_node_id))
      return { keys: at('source_node_id'), msg: `Edge source node '${edge.source_node_id}' not found in nodes.` };
    if ('target_node_id' in edge) {
      if (ids.has(edge.target_node_id)) continue;
      return { keys: at('target_node_id'), msg: `Edge target node '${edge.target_node_id}' not found in nodes.` };
    }
    const dangling = Object.entries(edge.mapping).find(([, target]) => !ids.has(target));
    if (dangling)
      return { keys: at('mapping', dangling[0]), msg: `ConditionalEdge target node '${dangling[1]}' not found in nodes.` };
  }
  return undefined;
}
