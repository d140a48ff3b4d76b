// Replays recorded requests with recipewright, in compat or default mode, and returns the results in the form of the recorder.

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
import { type Golden, scriptedExec, toRecordedCall, toRecordedRun } from './goldens.js';

type ReplayOptions = { compat: boolean; cwd: string };

type ReplayRequest = {
  op?: string;
  template: unknown;
  values?: Layer;
  decl?: ArgDeclarations;
  argTypes?: Record<string, ArgType>;
  fake?: Parameters<typeof scriptedExec>[0];
};

type Replay = (request: ReplayRequest, options: ReplayOptions) => object | Promise<object>;

const replays: Readonly<Record<string, Replay>> = {
  split: ({ template }) => ({ words: splitCommand(String(template)) }),
  argv: ({ template, values = {}, op: _, ...options }, { compat }) =>
    catchError(() => ({ argv: resolveArgv(template as CommandTemplate, values, { compat, ...options }) })),
  coerce: ({ decl, values = {} }) => coerceRecorded(decl, values),
  schema: ({ template }, { compat }) => toRecordedArgs(publicArgs(template, { typed: !compat })),
  warnings: ({ template }) => ({ warnings: riskWarnings(template) }),
  dry: async ({ template, values = {}, argTypes = {}, fake }, { compat }) =>
    toRecordedRun(
      await runTemplate(template, values, { compat, cwd: '/base', exec: scriptedExec(fake), argTypes }),
      toScriptedCall,
    ),
  exec: async ({ template, values = {}, argTypes = {} }, { compat, cwd }) =>
    toRecordedRun(await runTemplate(template, values, { compat, cwd, argTypes }), toRecordedCall),
};

export const kinds = Object.keys(replays);

/** Replays one recorded case. A recorded run has no `op`. */
export async function replay({ request }: Golden, options: ReplayOptions): Promise<unknown> {
  const { op = 'exec' } = request as ReplayRequest;
  const perform = replays[op];
  if (!perform) throw new Error(`There is no replay for the operation ${op}.`);
  return JSON.parse(JSON.stringify(await perform(request as ReplayRequest, options)));
}

function catchError(work: () => object): object {
  try {
    return work();
  } catch (thrown) {
    return { throws: (thrown as Error).message };
  }
}

// The reference returns the error of an invalid declaration, and throws for an invalid value.
function coerceRecorded(declared: ArgDeclarations, values: Layer): object {
  let declarations: ReturnType<typeof checkDeclarations>;
  try {
    declarations = checkDeclarations(declared);
  } catch (thrown) {
    return { error: (thrown as Error).message };
  }
  const defaults = declarations.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]]));
  return catchError(() => ({
    values: coerceArgs(declared, values),
    defaults: Object.fromEntries(defaults) as object,
    declarations: declarations.map(printDeclaration),
  }));
}

function toRecordedArgs(all: ReturnType<typeof publicArgs>): object {
  const types = all.filter(({ type }) => type.kind !== 'string').map(({ name, type }) => [name, type]);
  const required = all.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { args: all.map(({ name }) => name), types: Object.fromEntries(types) as object, required };
}

function toScriptedCall({ argv, stdin, timeout, retry }: Call): object {
  return { argv, stdin: stdin?.toString(), timeout, retry };
}
