// Who reads what Vitest writes to stdout.
import { fieldsOf } from './poolWire.js';

const forPeople = new Set([
  'default',
  'basic',
  'verbose',
  'dot',
  'tree',
  'minimal',
  'agent',
  'github-actions',
  'hanging-process',
]);
const forMachines = new Set(['json', 'junit', 'tap', 'tap-flat']);

/** As Vitest has resolved them: a reporter is `[name, options]`, or the reporter itself. */
export function isStdoutForMachines({ reporters, outputFile }: { reporters: readonly unknown[]; outputFile?: unknown }): boolean {
  const given = reporters.map((reporter) => (Array.isArray(reporter) ? reporter : [reporter])) as [unknown, unknown?][];
  const names = given.map(([name]) => name).filter((name) => typeof name === 'string');
  const onStdout = given.filter(([name, options]) => {
    const file =
      fieldsOf(options).outputFile ?? (typeof outputFile === 'string' ? outputFile : fieldsOf(outputFile)[String(name)]);
    return typeof name === 'string' && forMachines.has(name) && file === undefined;
  });
  return onStdout.length > 0 || !names.some((name) => forPeople.has(name));
}
