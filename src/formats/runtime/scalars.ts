// Single values as the reference reads them, which is more freely than its document says: "5" is a number, "yes" is true.
import { Numeral, pythonFloat } from './written.js';

/** `lax`: it is accepted, but is not of the type that the document asks for. */
export type Scalar = { value: unknown; lax?: true } | { type: string; msg: string };

export function readText(value: unknown): Scalar {
  return typeof value === 'string' ? { value } : { type: 'string_type', msg: 'Input should be a valid string' };
}

export function readInteger(value: unknown): Scalar {
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

const yes = new Set(['true', 't', 'yes', 'y', 'on', '1']);
const no = new Set(['false', 'f', 'no', 'n', 'off', '0']);

export function readFlag(value: unknown): Scalar {
  if (typeof value === 'boolean') return { value };
  const msg = 'Input should be a valid boolean';
  const isNumber = value instanceof Numeral;
  if (!isNumber && typeof value !== 'string') return { type: 'bool_type', msg };
  const word = isNumber ? String(Number(value.text)) : value.toLowerCase();
  if (yes.has(word)) return { value: true, lax: true };
  if (no.has(word)) return { value: false, lax: true };
  return { type: 'bool_parsing', msg: `${msg}, unable to interpret input` };
}

export function readFloat(value: unknown): Scalar {
  const msg = 'Input should be a valid number';
  if (value instanceof Numeral) return { value: new Numeral('float', pythonFloat(Number(value.text))) };
  if (typeof value === 'boolean') return { value: new Numeral('float', value ? '1.0' : '0.0'), lax: true };
  if (typeof value !== 'string') return { type: 'float_type', msg };
  const number = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) return { type: 'float_parsing', msg: `${msg}, unable to parse string as a number` };
  return { value: new Numeral('float', pythonFloat(number)), lax: true };
}

export function readObject(value: unknown): Scalar {
  return isObject(value) ? { value } : { type: 'dict_type', msg: 'Input should be an object' };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Numeral);
}
