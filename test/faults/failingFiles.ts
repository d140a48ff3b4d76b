// Makes the n-th file operation below a directory fail in this process. This is the only fake besides the clock.
// The fake replaces functions of node:fs itself, so that it covers the operations of all modules.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const operations = [
  ...(['openSync', 'closeSync', 'readSync', 'writeSync', 'fsyncSync', 'fstatSync', 'ftruncateSync', 'mkdirSync'] as const),
  ...(['readdirSync', 'readFileSync', 'renameSync', 'rmSync', 'rmdirSync', 'lstatSync', 'statSync', 'realpathSync'] as const),
];

type Operation = (typeof operations)[number];

export type Fault = {
  /** The number of the operation that fails, from 1. With 0, none fails. */
  at: number;
  /** All later operations fail too. */
  persists: boolean;
};

export type Faulty = { seen: string[]; end(): void };

export function failFiles(below: string, { at, persists }: Fault): Faulty {
  const seen: string[] = [];
  const handles = new Set<unknown>();
  const real = Object.fromEntries(operations.map((name) => [name, fs[name]])) as Record<
    Operation,
    (...args: unknown[]) => unknown
  >;
  const isBelow = (target: unknown): boolean =>
    typeof target === 'number'
      ? handles.has(target)
      : `${target}/`.startsWith(`${below}/`) || /^\/proc\/self\/fd\//.test(String(target));
  for (const name of operations) {
    const faulty = (...args: unknown[]): unknown => {
      if (!isBelow(args[0])) return real[name](...args);
      seen.push(name);
      const isBroken = seen.length === at || (persists && at > 0 && seen.length > at);
      if (isBroken) return failOperation(name, args, real);
      const result = real[name](...args);
      if (name === 'openSync') handles.add(result);
      if (name === 'closeSync') handles.delete(args[0]);
      return result;
    };
    Object.assign(fs, { [name]: faulty });
  }
  syncBuiltinESMExports();
  const end = (): void => {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  };
  return { seen, end };
}

// A failed write may have written some bytes, and a failed close has closed the handle.
function failOperation(name: Operation, args: unknown[], real: Record<Operation, (...args: unknown[]) => unknown>): never {
  const [target, content, from = 0] = args;
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (name === 'writeSync' && bytes instanceof Uint8Array && typeof from === 'number')
    real.writeSync(target, bytes.subarray(from, from + Math.floor((bytes.length - from) / 2)));
  if (name === 'closeSync') real.closeSync(target);
  throw Object.assign(new Error(`EIO: i/o error, ${name} '${String(target)}'`), { code: 'EIO', errno: -5, syscall: name });
}
