// Every recorded case of the reference in default mode: those that come out otherwise are listed in the docs with their reasons,
// and no other does.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../src/actions/template/execution.js';
import { runTemplate } from '../../../src/actions/template/runTemplate.js';
import type { ArgType } from '../../../src/dialects/template/declarations.js';
import { type CommandTemplate, resolveArgv } from '../../../src/dialects/template/resolveArgv.js';
import type { Layer } from '../../../src/dialects/template/templateValues.js';
import { corpus, type Golden, goldens, inTexts, plain, rehearsal } from './goldens.js';
import { layOut, loaded, recipeCases, recordedIn } from './recordedRecipes.js';

type Asked = {
  op?: string;
  template: unknown;
  values?: Layer;
  argTypes?: Record<string, ArgType>;
  fake?: Parameters<typeof rehearsal>[0];
};

const listed = [
  ...readFileSync(new URL('../../../docs/template-differences.md', import.meta.url), 'utf8').matchAll(/^\| `([^`]+)` \|/gm),
].map(([, id]) => id);

describe.skipIf(!corpus.isThere)(`the recorded cases in default mode${corpus.isThere ? '' : ` (${corpus.why})`}`, () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
    layOut(dir);
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  test('come out as the reference has them, but for those that the docs list', async () => {
    const different: string[] = [];
    for (const golden of [...goldens('argv-cases.jsonl'), ...goldens('exec-cases.jsonl')]) {
      const { id, request, v033 } = placed(golden, dir);
      const got = typeof v033 === 'object' ? await outcomeOf(request as Asked, dir) : undefined;
      if (got !== undefined && !isDeepStrictEqual(got, withoutTime(v033))) different.push(id);
    }
    const options = { agentDir: join(dir, 'agent'), packagedRoot: corpus.packaged, cwd: dir };
    for (const { id, file, v033 } of recipeCases) {
      const got = JSON.parse(JSON.stringify(loaded(file.replace('$B', dir), options))) as object;
      if (!isDeepStrictEqual(got, recordedIn(dir, v033))) different.push(id);
    }
    expect(different.sort()).toEqual([...listed].sort());
  });
});

function placed(golden: Golden, dir: string): Golden {
  const text = JSON.stringify(golden)
    .replaceAll('/tmp/ora-', `${dir}/ora-`)
    .replaceAll('$TMP', '/tmp')
    .replaceAll('$LAB/pi-actors-home', homedir());
  return JSON.parse(text) as Golden;
}

function withoutTime({ id: _, ms: __, ...wanted }: Record<string, unknown>): Record<string, unknown> {
  return wanted;
}

/** Undefined for what is the same code in both modes. */
async function outcomeOf(asked: Asked, dir: string): Promise<unknown> {
  const { op, template, values = {}, argTypes = {}, fake, ...options } = asked;
  if (op === 'argv') return JSON.parse(JSON.stringify(argvOf(template as CommandTemplate, values, options))) as unknown;
  const run = { argTypes };
  if (op === 'dry')
    return asJson(plain(await runTemplate(template, values, { ...run, cwd: '/base', exec: rehearsal(fake) }), rehearsed));
  if (op !== undefined && op !== 'exec') return undefined;
  return asJson(plain(await runTemplate(template, values, { ...run, cwd: dir }), inTexts));
}

function argvOf(template: CommandTemplate, values: Layer, options: object): object {
  try {
    return { argv: resolveArgv(template, values, options) };
  } catch (thrown) {
    return { throws: (thrown as Error).message };
  }
}

function rehearsed({ argv, stdin, timeout, retry }: Call): object {
  return { argv, stdin: stdin?.toString(), timeout, retry };
}

function asJson(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
