// Lets the n-th file operation below a directory fail, in this process: the one fake besides the clock.
// It stands below node:fs itself, so that no operation of any module can be forgotten.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const operations = [
  ...(['openSync', 'closeSync', 'readSync', 'writeSync', 'fsyncSync', 'fstatSync', 'ftruncateSync', 'mkdirSync'] as const),
  ...(['readdirSync', 'readFileSync', 'renameSync', 'rmSync', 'rmdirSync', 'lstatSync', 'statSync', 'realpathSync'] as const),
];

type Operation = (typeof operations)[number];

export type Fault = {
  /** The first operation to fail, from 1; none when it is 0. */
  at: number;
  /** All that follow fail, too. */
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
  const isOurs = (on: unknown): boolean =>
    typeof on === 'number' ? handles.has(on) : `${on}/`.startsWith(`${below}/`) || /^\/proc\/self\/fd\//.test(String(on));
  for (const name of operations) {
    const faulty = (...args: unknown[]): unknown => {
      if (!isOurs(args[0])) return real[name](...args);
      seen.push(name);
      const isBroken = seen.length === at || (persists && at > 0 && seen.length > at);
      if (isBroken) return breakDown(name, args, real);
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

// A write that fails may have written some of it, and a handle is gone even if closing it failed.
function breakDown(name: Operation, args: unknown[], real: Record<Operation, (...args: unknown[]) => unknown>): never {
  const [on, content, from = 0] = args;
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (name === 'writeSync' && bytes instanceof Uint8Array && typeof from === 'number')
    real.writeSync(on, bytes.subarray(from, from + Math.floor((bytes.length - from) / 2)));
  if (name === 'closeSync') real.closeSync(on);
  throw Object.assign(new Error(`EIO: i/o error, ${name} '${String(on)}'`), { code: 'EIO', errno: -5, syscall: name });
}
