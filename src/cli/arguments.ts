// The arguments as they were written: the parser would read 2024 or 1e3 as numbers, and they may be names of files.
import { UsageError } from './usage.js';

type ParsedArguments = { args: readonly string[]; options: Record<string, unknown> };

// No argument can hold it, so it can be taken off again without a doubt.
const numberMark = '\0';

/** Arguments the parser takes for texts. */
export function markNumbers(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((arg, index) => {
    if (end !== -1 && index >= end) return arg;
    const [, option, value] = /^(--[^=]+=)(.*)$/s.exec(arg) ?? [];
    if (option !== undefined && value !== undefined) return isNumber(value) ? `${option}${numberMark}${value}` : arg;
    return isNumber(arg) ? numberMark + arg : arg;
  });
}

/** What the parser made of them, as it was written; what stands after `--` is among the names. */
export function unmarkArguments({ args, options }: ParsedArguments): ParsedArguments {
  const { '--': afterDashes, ...rest } = options;
  const names = [...args, ...(Array.isArray(afterDashes) ? afterDashes : [])];
  const values = Object.entries(rest).map(([name, value]) => [name, unmark(value)]);
  return { args: names.map((name) => String(unmark(name))), options: Object.fromEntries(values) };
}

function unmark(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmark);
  return typeof value === 'string' && value.startsWith(numberMark) ? value.slice(numberMark.length) : value;
}

// The parser asks the same; an empty text is 0 to it, and what starts with a dash is an option.
function isNumber(text: string): boolean {
  return !text.startsWith('-') && Number.isFinite(Number(text));
}

// Options of the form name=value that may be given more than once.

/** `form`: how it is to be written, such as `--input name=value`. */
export function parsePairs(form: string, rawValue: unknown): Map<string, string> {
  const [option = ''] = form.split(' ');
  const pairs = new Map<string, string>();
  for (const pair of rawValue === undefined ? [] : [rawValue].flat()) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(String(pair)) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`${option} needs ${form.slice(option.length + 1)}, but it is ${JSON.stringify(pair)}.`);
    if (pairs.has(name)) throw new UsageError(`${option} gives ${JSON.stringify(name)} twice.`);
    pairs.set(name, value);
  }
  return pairs;
}
export function textOption<K extends string>(
  name: K,
  value: unknown,
): {
  [key in K]?: string;
} {
  if (value === undefined) return {};
  if (typeof value === 'string' && value !== '')
    return { [name]: value } as {
      [key in K]?: string;
    };
  throw new UsageError(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} needs one value.`);
}
export function parseAnswers(rawValue: unknown): Record<string, 'pass' | 'fail'> {
  const answers = [...parsePairs('--answer node=pass|fail', rawValue)].map(([node, answer]) => {
    if (answer === 'pass' || answer === 'fail') return [node, answer] as const;
    throw new UsageError(`--answer ${node}=… is pass or fail, but it is ${JSON.stringify(answer)}.`);
  });
  return Object.fromEntries(answers);
}
