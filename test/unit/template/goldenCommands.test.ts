// Splitting, filling, coercing and running, case by case as the reference does it.
import { homedir } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { Call } from '../../../src/actions/template/execution.js';
import { runTemplate } from '../../../src/actions/template/runTemplate.js';
import { coerceArgs } from '../../../src/dialects/template/coerceArgs.js';
import { type ArgType, checkDeclarations, type Declared, printDeclaration } from '../../../src/dialects/template/declarations.js';
import { publicArgs } from '../../../src/dialects/template/publicArgs.js';
import { type CommandTemplate, resolveArgv } from '../../../src/dialects/template/resolveArgv.js';
import { riskWarnings } from '../../../src/dialects/template/riskWarnings.js';
import { splitCommand } from '../../../src/dialects/template/splitCommand.js';
import type { Layer } from '../../../src/dialects/template/templateValues.js';
import { corpus, type Golden, goldens, inTexts, plain, rehearsal } from './goldens.js';

type Rehearsed = {
  template: unknown;
  values: Layer;
  argTypes: Record<string, ArgType>;
  fake: Parameters<typeof rehearsal>[0];
};

const cases = goldens('argv-cases.jsonl');
const of = (op: string): Golden[] => cases.filter(({ request }) => request.op === op);

describe.skipIf(!corpus.isThere)(`the recorded cases of the reference${corpus.isThere ? '' : ` (${corpus.why})`}`, () => {
  test('are all of a kind that is replayed here', () => {
    expect(cases.length).toBeGreaterThan(250);
    expect([...new Set(cases.map(({ request }) => request.op))].sort()).toEqual(
      ['argv', 'coerce', 'dry', 'exec', 'schema', 'split', 'warnings'].sort(),
    );
  });

  test.for(of('split'))('$id is split alike', ({ request, v033 }) => {
    expect({ words: splitCommand(String(request.template)) }).toEqual(v033);
  });

  test.for(of('argv'))('$id is filled alike', ({ request, v033 }) => {
    const { template, values, op: _, ...options } = request;
    const argv = told(() => ({ argv: resolveArgv(template as CommandTemplate, values as Layer, { compat: true, ...options }) }));
    const expected = JSON.parse(JSON.stringify(v033).replaceAll('$LAB/pi-actors-home', homedir())) as unknown;
    expect(argv).toEqual(expected);
  });

  test.for(of('coerce'))('$id is coerced alike', ({ request, v033 }) => {
    expect(coerced(request.decl as Declared, request.values as Layer)).toEqual(v033);
  });

  test.for(of('schema'))('$id asks for the same arguments', ({ request, v033 }) => {
    const all = publicArgs(request.template, { typed: false });
    const types = all.filter(({ type }) => type.kind !== 'string').map(({ name, type }) => [name, type]);
    const required = all.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    expect({ args: all.map(({ name }) => name), types: Object.fromEntries(types), required }).toEqual(v033);
  });

  test.for(of('warnings'))('$id is warned of alike', ({ request, v033 }) => {
    expect({ warnings: riskWarnings(request.template) }).toEqual(v033);
  });

  test.for(of('dry'))('$id runs alike', async (recorded) => {
    const { request, v033 } = withTmp(recorded);
    const { template, values, argTypes, fake } = { argTypes: {}, ...request } as unknown as Rehearsed;
    const run = await runTemplate(template, values, { compat: true, cwd: '/base', exec: rehearsal(fake), argTypes });
    expect(plain(run, rehearsed)).toEqual(v033);
  });

  test.for(of('exec').map(slower))('$id runs alike with real processes', async ({ request, v033 }) => {
    const run = await runTemplate(request.template, request.values as Layer, { compat: true, cwd: '/tmp' });
    expect(plain(run, inTexts)).toEqual(v033);
  });
});

/** A pause of 80 ms between two writes is none to a reader on a busy machine. */
function slower<Case>(recorded: Case): Case {
  return JSON.parse(JSON.stringify(recorded).replaceAll('),80)', '),800)')) as Case;
}

function told(work: () => object): object {
  try {
    return work();
  } catch (thrown) {
    return { throws: (thrown as Error).message };
  }
}

// The reference hands a wrong declaration back, and throws for a wrong value.
function coerced(declared: Declared, values: Layer): object {
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

function rehearsed({ argv, stdin, timeout, retry }: Call): object {
  return JSON.parse(JSON.stringify({ argv, stdin: stdin?.toString(), timeout, retry })) as object;
}

// The recorder replaced its own directory in some of the texts.
function withTmp(recorded: Golden): Golden {
  return JSON.parse(JSON.stringify(recorded).replaceAll('$TMP', '/tmp')) as Golden;
}
