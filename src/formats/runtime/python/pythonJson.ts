// Reads and writes JSON with numbers as Python prints them, so that digests match: JavaScript prints 1.0 and 1e16 differently.

/** A number in Python's spelling. */
export class Numeral {
  constructor(
    readonly kind: 'int' | 'float',
    readonly text: string,
  ) {}
}

const tokenPattern = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** `numberMark` marks numbers that are parsed as strings; `textMark` marks strings that would look like them. */
const [numberMark, textMark] = ['\\u0000n', '\\u0000s'];

/** `text` must be valid JSON. */
export function parsePythonJson(text: string): unknown {
  const marked = text.replace(tokenPattern, (token) => {
    if (!token.startsWith('"')) return `"${numberMark}${token}"`;
    return /^"\\u0000/i.test(token) ? `"${textMark}${token.slice(1)}` : token;
  });
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith('\u0000')) return value;
    const rest = value.slice(2);
    return value[1] === 'n' ? toNumeral(rest) : rest;
  });
}

function toNumeral(text: string): Numeral {
  if (/[.eE]/.test(text)) return new Numeral('float', formatFloat(Number(text)));
  return new Numeral('int', text === '-0' ? '0' : text);
}

/** Both languages print the same shortest digits, but use exponents at different sizes. */
export function formatFloat(value: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const [digits = '', power = '0'] = Math.abs(value).toExponential().split('e');
  const exponent = Number(power);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    return `${sign}${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  return sign + formatFixed(digits.replace('.', ''), exponent);
}

function formatFixed(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${whole}.${digits.slice(exponent + 1) || '0'}`;
}

/** Converts numerals into JavaScript numbers. */
export function toPlainJson(value: unknown): unknown {
  if (value instanceof Numeral) return Number(value.text);
  if (Array.isArray(value)) return value.map(toPlainJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlainJson(item)]));
}

type PythonJsonStyle = { compact?: boolean; ascii?: boolean };

/** Like Python's `json.dumps(value, sort_keys=True)`. */
export function writePythonJson(value: unknown, style: PythonJsonStyle = {}): string {
  const [comma, colon] = style.compact ? [',', ':'] : [', ', ': '];
  if (value instanceof Numeral) return value.text;
  if (typeof value === 'string') return style.ascii ? escapeNonAscii(value) : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => writePythonJson(item, style)).join(comma)}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => compareCodePoints(a, b));
  const members = entries.map(([key, item]) => `${writePythonJson(key, style)}${colon}${writePythonJson(item, style)}`);
  return `{${members.join(comma)}}`;
}

function escapeNonAscii(text: string): string {
  return JSON.stringify(text).replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// JavaScript compares UTF-16 units, by which U+1F600 comes before U+FFFF.
function compareCodePoints(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (const [index, char] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (char !== other) return (char.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
  }
  return left.length - right.length;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Numeral);
}
