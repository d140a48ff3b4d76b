// Every recorded case of the reference in default mode: those that come out otherwise are listed in the docs with their reasons,
// and no other does.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corpus, type Golden, goldens } from './goldens.js';
import { replay } from './recordedCommands.js';
import { layOut, loaded, packagedCases, recipeCases, recordedIn } from './recordedRecipes.js';

const docs = readFileSync(new URL('../../../../docs/template-differences.md', import.meta.url), 'utf8');
const listed = [...docs.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, id = '', why = '']) => ({ id, why }));

describe.skipIf(!corpus.isThere)(`the recorded cases in default mode${corpus.isThere ? '' : ` (${corpus.why})`}`, () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
    layOut(dir);
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  async function differentCommands(): Promise<string[]> {
    const different: string[] = [];
    for (const golden of [...goldens('argv-cases.jsonl'), ...goldens('exec-cases.jsonl')]) {
      const { id, request, v033 } = placed(golden, dir);
      const got = (await replay({ id, request, v033 }, { compat: false, cwd: dir })) as { ok?: boolean };
      // Of some the recorder kept only that they went well.
      const isSame = typeof v033 === 'string' ? got.ok === true : isDeepStrictEqual(got, withoutTime(v033));
      if (!isSame) different.push(id);
    }
    return different;
  }

  function differentRecipes(): string[] {
    const options = { agentDir: join(dir, 'agent'), packagedRoot: corpus.packaged, cwd: dir };
    const read = (file: string, more = {}) => JSON.parse(JSON.stringify(loaded(file, { ...options, ...more }))) as object;
    const cases = recipeCases.filter(
      ({ file, v033 }) => !isDeepStrictEqual(read(file.replace('$B', dir)), recordedIn(dir, v033)),
    );
    const none = { agentDir: join(dir, 'none') };
    const packaged = packagedCases.filter(
      ({ id, recipe }) => !isDeepStrictEqual(read(join(corpus.packaged, id), none), { recipe }),
    );
    return [...cases.map(({ id }) => id), ...packaged.map(({ id }) => `packaged/${id}`)];
  }

  test('come out as the reference has them, but for those that the docs list', async () => {
    const different = [...(await differentCommands()), ...differentRecipes()];
    expect(different.sort()).toEqual(listed.map(({ id }) => id).sort());
  });

  test('that come out otherwise have a reason each, and the docs say how many cases there are', () => {
    expect(listed.filter(({ why }) => why.trim().length < 20)).toEqual([]);
    const all = ['argv-cases.jsonl', 'exec-cases.jsonl', 'recipe-cases.jsonl', 'packaged-compiled.jsonl'].flatMap((file) =>
      goldens(file),
    );
    expect(docs).toContain(`recorded in ${all.length} cases`);
    expect(docs).toContain(`these ${listed.length} do not`);
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
