// The dangers of the reference runner for template recipes, one by one: the compat mode reproduces each of them, and the default mode fails
// or is safe.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadTemplateRecipe } from '../../src/formats/template/files/loadTemplateRecipe.js';
import { resolveArgv } from '../../src/formats/template/resolveArgv.js';
import type { TemplateRun } from '../../src/formats/template/templateRun.js';
import { runTemplate } from '../../src/hosts/plain/runTemplate.js';
import { appearance } from '../support/processProbe.js';

describe('a hazard of the reference', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  type Both = { reference: TemplateRun; ours: TemplateRun };
  async function both(template: unknown, values: Record<string, unknown> = {}): Promise<Both> {
    const reference = await runTemplate(template, values, { cwd: dir, compat: true });
    return { reference, ours: await runTemplate(template, values, { cwd: dir }) };
  }
  const verdicts = ({ reference, ours }: Both) => ({ reference: reference.ok, ours: ours.ok });
  const onlyReferencePasses = { reference: true, ours: false };
  const load = (name: string, text: string, compat: boolean) => {
    writeFileSync(join(dir, name), text);
    return loadTemplateRecipe(join(dir, name), { compat, cwd: dir });
  };

  test('1: a command that a signal killed passes in the reference runner and fails in ours', async () => {
    expect(verdicts(await both("sh -c 'kill -9 $$'"))).toEqual(onlyReferencePasses);
  });

  test('2: a command that exits with 0 after its timeout passes in the reference runner and fails in ours', async () => {
    expect(verdicts(await both({ timeout: 150, template: `sh -c 'trap "exit 0" TERM; sleep 1 & wait'` }))).toEqual(
      onlyReferencePasses,
    );
  });

  test('3: a sequence with a failed last step and failed branches pass in the reference runner and fail in ours', async () => {
    expect(verdicts(await both(['true', 'false']))).toEqual(onlyReferencePasses);
    expect(verdicts(await both({ parallel: true, template: ['false', 'false'] }))).toEqual(onlyReferencePasses);
  });

  test('4: the reference runner starts more commands after an abort, and ours starts none', async () => {
    const aborted = async (compat: boolean): Promise<TemplateRun> => {
      const [stop, ready] = [new AbortController(), join(dir, `begun-${compat}`)];
      const result = runTemplate(
        [`sh -c 'touch ${ready}; sleep 2'`, 'true', `touch after-${compat}`],
        {},
        { cwd: dir, signal: stop.signal, compat },
      );
      await appearance(ready);
      stop.abort();
      return result;
    };
    expect((await aborted(true)).calls.length).toBe(3);
    const ours = await aborted(false);
    expect({ ok: ours.ok, calls: ours.calls.length }).toEqual({ ok: false, calls: 1 });
    expect(existsSync(join(dir, 'after-false'))).toBe(false);
  });

  test('5: the reference runner expands references in the values of the caller, and ours does not', () => {
    const values = { text: '{secret}', secret: 'hunter2' };
    expect(resolveArgv('echo {text}', values, { compat: true })).toEqual(['echo', 'hunter2']);
    expect(resolveArgv('echo {text}', values)).toEqual(['echo', '{secret}']);
  });

  test('6: {toString??x} reads an inherited property in the reference runner, and not in ours', () => {
    expect(resolveArgv('echo {toString??x}', {}, { compat: true })[1]).toContain('native code');
    expect(resolveArgv('echo {toString??x} {constructor?a:b}', {})).toEqual(['echo', 'x', 'b']);
  });

  test('7: a caller overrides the values of an import in the reference runner, and not in ours', async () => {
    writeFileSync(join(dir, 'one.json'), '{ "template": "echo {scope}" }');
    const text = JSON.stringify({ imports: { one: './one.json' }, template: [{ name: 'one', values: { scope: 'docs' } }] });
    const runs = await Promise.all(
      [true, false].map((compat) =>
        runTemplate(load('all.json', text, compat).recipe?.template, { scope: '/' }, { compat, cwd: dir }),
      ),
    );
    expect(runs.map(({ calls }) => calls[0]?.argv[1])).toEqual(['/', 'docs']);
  });

  test('8: the reference runner ignores the failure setting of an outer node, and ours applies it', async () => {
    const { reference, ours } = await both([{ failure: 'branch', template: { template: ['false', 'true'] } }, 'true']);
    expect([reference.calls.length, ours.calls.length]).toEqual([3, 1]);
    expect({ reference: reference.ok, ours: ours.ok }).toEqual(onlyReferencePasses);
  });

  test('9: the reference runner skips a step with the condition "true" or an unknown condition, and ours does not', async () => {
    const { reference, ours } = await both([{ when: 'true', template: 'false' }, 'true']);
    expect({ reference: [reference.ok, reference.calls.length], ours: [ours.ok, ours.calls.length] }).toEqual({
      reference: [true, 1],
      ours: [false, 2],
    });
    expect(verdicts(await both([{ when: 'env == prod', template: 'false' }, 'true']))).toEqual(onlyReferencePasses);
  });

  test('10: the reference runner runs commands before it finds a missing value, and ours runs none', async () => {
    const { reference, ours } = await both(['true', 'echo {nope}']);
    expect([reference.calls.length, ours.calls.length]).toEqual([1, 0]);
  });

  test('11: a pipe changes bytes in the reference runner, and not in ours', async () => {
    const { reference, ours } = await both(["printf '\\377'", 'od -An -tx1']);
    expect([reference.text?.trim(), ours.text?.trim()]).toEqual(['ef bf bd', 'ff']);
  });

  test('12: the reference runner loses or splits fields of the front matter, and ours reads them', () => {
    const text = '---\nargs: mode:enum(a,b)\ndefaults:\n  x: 1\n\n  y: 2\n---\n```template\necho {x}\n```\n';
    expect(load('m.md', text, true).recipe).toMatchObject({ args: ['mode:enum(a', 'b)'], defaults: { x: 1 } });
    expect(load('m.md', text, true).recipe?.defaults).not.toHaveProperty('y');
    expect(load('m.md', text, false).recipe).toMatchObject({ args: ['mode:enum(a,b)'], defaults: { x: 1, y: 2 } });
  });

  test('13: a command that leaves a process running fails in our runner, which names the process', async () => {
    const ours = await runTemplate("sh -c 'sleep 60 >/dev/null 2>&1 & true'", {}, { cwd: dir });
    expect(ours).toMatchObject({ ok: false, left: [expect.stringContaining('sleep')] });
  });
});
