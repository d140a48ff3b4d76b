// Runs every recorded case of the reference implementation in default mode. docs/template-differences.md must list exactly the
// cases with another result, each with a reason.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corpus, type Golden, goldens } from './goldens.js';
import { replay } from './recordedCommands.js';
import { loadCase, packagedCases, recipeCases, recordedIn, writeRecorderFiles } from './recordedRecipes.js';

const docs = readFileSync(new URL('../../../../docs/template-differences.md', import.meta.url), 'utf8');
const listed = [...docs.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, id = '', why = '']) => ({ id, why }));

describe.skipIf(!corpus.exists)(`the recorded cases in default mode${corpus.exists ? '' : ` (${corpus.skipReason})`}`, () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
    writeRecorderFiles(dir);
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  async function listDifferentCommands(): Promise<string[]> {
    const different: string[] = [];
    for (const golden of [...goldens('argv-cases.jsonl'), ...goldens('exec-cases.jsonl')]) {
      const { id, request, v033 } = replacePaths(golden, dir);
      const result = (await replay({ id, request, v033 }, { compat: false, cwd: dir })) as { ok?: boolean };
      // For some cases, the recorder stored only that they succeeded.
      const isSame = typeof v033 === 'string' ? result.ok === true : isDeepStrictEqual(result, withoutTime(v033));
      if (!isSame) different.push(id);
    }
    return different;
  }

  function listDifferentRecipes(): string[] {
    const options = { agentDir: join(dir, 'agent'), packagedRoot: corpus.packaged, cwd: dir };
    const read = (file: string, more = {}) => JSON.parse(JSON.stringify(loadCase(file, { ...options, ...more }))) as object;
    const cases = recipeCases.filter(
      ({ file, v033 }) => !isDeepStrictEqual(read(file.replace('$B', dir)), recordedIn(dir, v033)),
    );
    const none = { agentDir: join(dir, 'none') };
    const packaged = packagedCases.filter(
      ({ id, recipe }) => !isDeepStrictEqual(read(join(corpus.packaged, id), none), { recipe }),
    );
    return [...cases.map(({ id }) => id), ...packaged.map(({ id }) => `packaged/${id}`)];
  }

  test('in default mode, only the cases that the docs list differ from the reference', async () => {
    const different = [...(await listDifferentCommands()), ...listDifferentRecipes()];
    expect(different.sort()).toEqual(listed.map(({ id }) => id).sort());
  });

  test('the docs give a reason for each different case and the number of recorded cases', () => {
    expect(listed.filter(({ why }) => why.trim().length < 20)).toEqual([]);
    const all = ['argv-cases.jsonl', 'exec-cases.jsonl', 'recipe-cases.jsonl', 'packaged-compiled.jsonl'].flatMap((file) =>
      goldens(file),
    );
    expect(docs).toContain(`recorded in ${all.length} cases`);
    expect(docs).toContain(`these ${listed.length} do not`);
  });
});

function replacePaths(golden: Golden, dir: string): Golden {
  const text = JSON.stringify(golden)
    .replaceAll('/tmp/ora-', `${dir}/ora-`)
    .replaceAll('$TMP', '/tmp')
    .replaceAll('$LAB/pi-actors-home', homedir());
  return JSON.parse(text) as Golden;
}

function withoutTime({ id: _, ms: __, ...expected }: Record<string, unknown>): Record<string, unknown> {
  return expected;
}
