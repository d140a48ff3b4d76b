// Keeps arguments as they were typed: cac converts 2024 or 1e3 to numbers, but such arguments may be file names.
import { dirname, resolve } from 'node:path';
import { readPathKind } from '../system/files/files.js';
import { UsageError } from './usage.js';

type ParsedArguments = { args: readonly string[]; options: Record<string, unknown> };

// An argument of a process cannot contain NUL, so no real argument starts with this mark.
const numberMark = '\0';

/** Marks arguments that look like numbers, so that cac keeps them as strings. */
export function markNumbers(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((arg, index) => {
    if (end !== -1 && index >= end) return arg;
    const [, option, value] = /^(--[^=]+=)(.*)$/s.exec(arg) ?? [];
    if (option !== undefined && value !== undefined) return isNumber(value) ? `${option}${numberMark}${value}` : arg;
    return isNumber(arg) ? numberMark + arg : arg;
  });
}

/** Removes the marks from cac's result. Arguments after `--` join the positional ones. */
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

// The same check as in cac: an empty string counts as 0, and a string that starts with a dash is an option.
function isNumber(text: string): boolean {
  return !text.startsWith('-') && Number.isFinite(Number(text));
}

/** Reads an option that can be repeated. `form`: how users write the option, such as `--input name=value`. */
export function parsePairs(form: string, rawValue: unknown): Map<string, string> {
  const [option = ''] = form.split(' ');
  const pairs = new Map<string, string>();
  for (const pair of rawValue === undefined ? [] : [rawValue].flat()) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(String(pair)) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`${option} needs ${form.slice(option.length + 1)}, but it is ${JSON.stringify(pair)}.`);
    if (pairs.has(name)) throw new UsageError(`${option} sets ${JSON.stringify(name)} twice. Pass it once.`);
    pairs.set(name, value);
  }
  return pairs;
}

export function parseText(option: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw new UsageError(`${option} needs one value.`);
  return value;
}

/** Returns `{ name: value }`, or `{}` when the option is missing, so that the caller can spread the result. */
export function textOption<K extends string>(name: K, value: unknown): { [key in K]?: string } {
  const text = parseText(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, value);
  return text === undefined ? {} : ({ [name]: text } as { [key in K]?: string });
}

/** Returns the absolute path of a file to write. Its directory must exist, because a missing directory is usually a typo. */
export function parseOutputFile(option: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw new UsageError(`${option} needs one file.`);
  const file = resolve(value);
  if (readPathKind(dirname(file)) !== 'directory')
    throw new UsageError(`There is no directory ${dirname(value)} to write ${value} into. Create the directory first.`);
  if (readPathKind(file) === 'directory') throw new UsageError(`${option} needs a file, but ${value} is a directory.`);
  return file;
}

export function parseAnswers(rawValue: unknown): Record<string, 'pass' | 'fail'> {
  const answers = [...parsePairs('--answer node=pass|fail', rawValue)].map(([node, answer]) => {
    if (answer === 'pass' || answer === 'fail') return [node, answer] as const;
    throw new UsageError(`--answer ${node}=… must be pass or fail, but it is ${JSON.stringify(answer)}.`);
  });
  return Object.fromEntries(answers);
}
