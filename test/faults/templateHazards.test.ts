// What is dangerous about the reference of template recipes, one by one: it shows in its own manner, and ours is red or safe.
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
  const green = { reference: true, ours: false };
  const load = (name: string, text: string, compat: boolean) => {
    writeFileSync(join(dir, name), text);
    return loadTemplateRecipe(join(dir, name), { compat, cwd: dir });
  };

  test('1: death by a signal is success', async () => {
    expect(verdicts(await both("sh -c 'kill -9 $$'"))).toEqual(green);
  });

  test('2: who is stopped by the time limit and exits with 0 has succeeded', async () => {
    expect(verdicts(await both({ timeout: 150, template: `sh -c 'trap "exit 0" TERM; sleep 1 & wait'` }))).toEqual(green);
  });

  test('3: a sequence whose last step fails, and branches that all fail, are good', async () => {
    expect(verdicts(await both(['true', 'false']))).toEqual(green);
    expect(verdicts(await both({ parallel: true, template: ['false', 'false'] }))).toEqual(green);
  });

  test('4: after an abort more commands are started, and the run may end well', async () => {
    const aborted = async (compat: boolean): Promise<TemplateRun> => {
      const [stop, ready] = [new AbortController(), join(dir, `begun-${compat}`)];
      const ran = runTemplate(
        [`sh -c 'touch ${ready}; sleep 2'`, 'true', `touch after-${compat}`],
        {},
        { cwd: dir, signal: stop.signal, compat },
      );
      await appearance(ready);
      stop.abort();
      return ran;
    };
    expect((await aborted(true)).calls.length).toBe(3);
    const ours = await aborted(false);
    expect({ ok: ours.ok, calls: ours.calls.length }).toEqual({ ok: false, calls: 1 });
    expect(existsSync(join(dir, 'after-false'))).toBe(false);
  });

  test('5: a value of the caller is read as a template and shows other values', () => {
    const values = { text: '{secret}', secret: 'hunter2' };
    expect(resolveArgv('echo {text}', values, { compat: true })).toEqual(['echo', 'hunter2']);
    expect(resolveArgv('echo {text}', values)).toEqual(['echo', '{secret}']);
  });

  test('6: {toString??x} reads what objects inherit', () => {
    expect(resolveArgv('echo {toString??x}', {}, { compat: true })[1]).toContain('native code');
    expect(resolveArgv('echo {toString??x} {constructor?a:b}', {})).toEqual(['echo', 'x', 'b']);
  });

  test('7: a caller overrides what a recipe sets for its import', async () => {
    writeFileSync(join(dir, 'one.json'), '{ "template": "echo {scope}" }');
    const text = JSON.stringify({ imports: { one: './one.json' }, template: [{ name: 'one', values: { scope: 'docs' } }] });
    const runs = await Promise.all(
      [true, false].map((compat) =>
        runTemplate(load('all.json', text, compat).recipe?.template, { scope: '/' }, { compat, cwd: dir }),
      ),
    );
    expect(runs.map(({ calls }) => calls[0]?.argv[1])).toEqual(['/', 'docs']);
  });

  test('8: what is set on a node around an object is forgotten', async () => {
    const { reference, ours } = await both([{ failure: 'branch', template: { template: ['false', 'true'] } }, 'true']);
    expect([reference.calls.length, ours.calls.length]).toEqual([3, 1]);
    expect({ reference: reference.ok, ours: ours.ok }).toEqual(green);
  });

  test('9: a condition that is not understood, or just "true", skips its step without a word', async () => {
    const { reference, ours } = await both([{ when: 'true', template: 'false' }, 'true']);
    expect({ reference: [reference.ok, reference.calls.length], ours: [ours.ok, ours.calls.length] }).toEqual({
      reference: [true, 1],
      ours: [false, 2],
    });
    expect(verdicts(await both([{ when: 'env == prod', template: 'false' }, 'true']))).toEqual(green);
  });

  test('10: what is missing is found when half of the commands have run', async () => {
    const { reference, ours } = await both(['true', 'echo {nope}']);
    expect([reference.calls.length, ours.calls.length]).toEqual([1, 0]);
  });

  test('11: bytes are lost between two commands', async () => {
    const { reference, ours } = await both(["printf '\\377'", 'od -An -tx1']);
    expect([reference.text?.trim(), ours.text?.trim()]).toEqual(['ef bf bd', 'ff']);
  });

  test('12: fields of the front matter are lost or torn apart', () => {
    const text = '---\nargs: mode:enum(a,b)\ndefaults:\n  x: 1\n\n  y: 2\n---\n```template\necho {x}\n```\n';
    expect(load('m.md', text, true).recipe).toMatchObject({ args: ['mode:enum(a', 'b)'], defaults: { x: 1 } });
    expect(load('m.md', text, true).recipe?.defaults).not.toHaveProperty('y');
    expect(load('m.md', text, false).recipe).toMatchObject({ args: ['mode:enum(a,b)'], defaults: { x: 1, y: 2 } });
  });

  test('13: what a command leaves running lives on', async () => {
    const ours = await runTemplate("sh -c 'sleep 60 >/dev/null 2>&1 & true'", {}, { cwd: dir });
    expect(ours).toMatchObject({ ok: false, left: [expect.stringContaining('sleep')] });
  });
});
