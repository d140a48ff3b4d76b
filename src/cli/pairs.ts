// Options of the form name=value that may be given more than once.
import { UsageError } from './usage.js';

/** `form`: how it is to be written, such as `--input name=value`. */
export function pairsOf(form: string, given: unknown): Map<string, string> {
  const [option = ''] = form.split(' ');
  const pairs = new Map<string, string>();
  for (const pair of given === undefined ? [] : [given].flat()) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(String(pair)) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`${option} needs ${form.slice(option.length + 1)}, but it is ${JSON.stringify(pair)}.`);
    if (pairs.has(name)) throw new UsageError(`${option} gives ${JSON.stringify(name)} twice.`);
    pairs.set(name, value);
  }
  return pairs;
}
