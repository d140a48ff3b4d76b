// What a recorded request comes to with us, in the form that the recorder wrote; by the rules of the reference or by our own.

import {
  type ArgDeclarations,
  type ArgType,
  checkDeclarations,
  coerceArgs,
  printDeclaration,
} from '../../../../src/formats/template/argDeclarations.js';
import type { Call } from '../../../../src/formats/template/call.js';
import { publicArgs } from '../../../../src/formats/template/publicArgs.js';
import { type CommandTemplate, resolveArgv, splitCommand } from '../../../../src/formats/template/resolveArgv.js';
import { riskWarnings } from '../../../../src/formats/template/riskWarnings.js';
import type { Layer } from '../../../../src/formats/template/templateValues.js';
import { runTemplate } from '../../../../src/hosts/plain/runTemplate.js';
import { type Golden, inTexts, plain, rehearsal } from './goldens.js';

export type How = { compat: boolean; cwd: string };

type Asked = {
  op?: string;
  template: unknown;
  values?: Layer;
  decl?: ArgDeclarations;
  argTypes?: Record<string, ArgType>;
  fake?: Parameters<typeof rehearsal>[0];
};

type Replay = (asked: Asked, how: How) => object | Promise<object>;

const replays: Readonly<Record<string, Replay>> = {
  split: ({ template }) => ({ words: splitCommand(String(template)) }),
  argv: ({ template, values = {}, op: _, ...options }, { compat }) =>
    told(() => ({ argv: resolveArgv(template as CommandTemplate, values, { compat, ...options }) })),
  coerce: ({ decl, values = {} }) => coerced(decl, values),
  schema: ({ template }, { compat }) => askedFor(publicArgs(template, { typed: !compat })),
  warnings: ({ template }) => ({ warnings: riskWarnings(template) }),
  dry: async ({ template, values = {}, argTypes = {}, fake }, { compat }) =>
    plain(await runTemplate(template, values, { compat, cwd: '/base', exec: rehearsal(fake), argTypes }), rehearsed),
  exec: async ({ template, values = {}, argTypes = {} }, { compat, cwd }) =>
    plain(await runTemplate(template, values, { compat, cwd, argTypes }), inTexts),
};

export const kinds = Object.keys(replays);

/** Runs are recorded without saying that they are. */
export async function replay({ request }: Golden, how: How): Promise<unknown> {
  const { op = 'exec' } = request as Asked;
  const perform = replays[op];
  if (!perform) throw new Error(`Nobody replays ${op}.`);
  return JSON.parse(JSON.stringify(await perform(request as Asked, how)));
}

function told(work: () => object): object {
  try {
    return work();
  } catch (thrown) {
    return { throws: (thrown as Error).message };
  }
}

// The reference hands a wrong declaration back, and throws for a wrong value.
function coerced(declared: ArgDeclarations, values: Layer): object {
  let all: ReturnType<typeof checkDeclarations>;
  try {
    all = checkDeclarations(declared);
  } catch (thrown) {
    return { error: (thrown as Error).message };
  }
  const defaults = all.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]]));
  return told(() => ({
    values: coerceArgs(declared, values),
    defaults: Object.fromEntries(defaults) as object,
    declarations: all.map(printDeclaration),
  }));
}

function askedFor(all: ReturnType<typeof publicArgs>): object {
  const types = all.filter(({ type }) => type.kind !== 'string').map(({ name, type }) => [name, type]);
  const required = all.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { args: all.map(({ name }) => name), types: Object.fromEntries(types) as object, required };
}

function rehearsed({ argv, stdin, timeout, retry }: Call): object {
  return { argv, stdin: stdin?.toString(), timeout, retry };
}
