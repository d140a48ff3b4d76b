// The variables of the run in a template recipe, and the recipe context for programs that call a language model.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'recipewright-'));
});
afterEach(() => rmSync(root, { recursive: true }));

async function run(files: Record<string, unknown>, inputs: Record<string, unknown> = {}) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o755 });
  }
  const [first = ''] = Object.keys(files);
  const ran = await runRecipe(join(root, first), { artifactsDir: join(root, 'out'), projectRoot: root, inputs });
  if (!ran.ran) throw new Error(JSON.stringify(ran.findings, null, 2));
  const outputs = ran.trace.flatMap(({ action, output }) => (action === 'rw.exec' ? [output as { stdout: string }] : []));
  return {
    summary: ran.summary,
    outputs,
    opening: JSON.parse(readFileSync(join(root, 'out/journal.jsonl'), 'utf8').split('\n')[0] ?? ''),
  };
}

describe('a template recipe that uses variables of its run', () => {
  test('{state_dir} is a directory that all commands of a run share, and that the end of the run removes', async () => {
    const { summary, outputs } = await run({
      'a.template.json': {
        template: [
          'sh -c \'echo kept > "$1/file"\' sh {state_dir}',
          'cat {state_dir}/file',
          'printf %s {state_dir}',
          'sh -c \'echo hello > "$1"\' sh {communication_file}',
        ],
      },
    });
    expect(summary.status).toBe('pass');
    expect(outputs[1]?.stdout).toBe('kept\n');
    expect(outputs[2]?.stdout).toMatch(/^\/.*recipewright-run-/);
    expect(existsSync(String(outputs[2]?.stdout))).toBe(false);
  });

  test('{run_id} is the id in the evidence, and {actor_address} and {default_room} contain it', async () => {
    const { outputs, opening } = await run({
      'a.template.json': { template: 'printf %s,%s,%s {run_id} {actor_address} {default_room}' },
    });
    const { run: id } = opening as { run: string };
    expect(outputs[0]?.stdout).toBe(`${id},run:${id},${id}`);
    expect(opening).toMatchObject({ inputs: { run_id: { value: id, origin: 'api' } } });
  });

  test('a {state_dir} of the caller is used instead, and is not removed', async () => {
    mkdirSync(join(root, 'mine'));
    const recipe = { template: 'sh -c \'echo x > "$1/file"\' sh {state_dir}' };
    const { summary } = await run({ 'a.template.json': recipe }, { state_dir: join(root, 'mine') });
    expect(summary.status).toBe('pass');
    expect(existsSync(join(root, 'mine/file'))).toBe(true);
  });

  test('a template recipe without these variables has none of them, and neither has a recipe of another format', async () => {
    const { opening } = await run({ 'a.template.json': { template: 'true' } });
    expect(opening).toMatchObject({ inputs: {} });
    const nodes = {
      a: { action: 'command', intent: 'Say it', argv: ['echo', '{{state_dir}}'], next: 'b' },
      b: { action: 'end', status: 'pass' },
    };
    const classic = {
      schema_version: 1,
      title: 'classic',
      inputs: { state_dir: { type: 'string' } },
      validate: { workflow: { entry: 'a', nodes } },
    };
    rmSync(join(root, 'out'), { recursive: true });
    await expect(run({ 'b.recipe.json': classic })).rejects.toThrow(/inputs\.missing_value[\s\S]*state_dir/);
  });
});

describe('a program that calls a language model', () => {
  const pi = '#!/bin/sh\nfor last; do :; done\nprintf %s "$last"\n';
  const recordsIn = ({ stdout }: { stdout: string } = { stdout: '' }) =>
    stdout
      .split('\n\n')[1]
      ?.split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  test('a program that calls a language model receives the recipes that contain it, and its own position among them', async () => {
    const { outputs } = await run({
      'main.template.json': {
        async: true,
        imports: { outer: './outer.json' },
        template: ['./pi -p --model {m=x} ask', { name: 'outer' }],
      },
      'outer.json': { imports: { inner: './inner.json' }, template: { name: 'inner', retry: 2, recover: { name: 'inner' } } },
      'inner.json': { description: 'Not {{a}} reference', args: ['q'], defaults: { q: 'why' }, template: './pi -p {q}' },
      pi,
    });
    expect(outputs.map(({ stdout }) => stdout.split('\n\n')[0])).toEqual(['ask', 'why']);
    const [first, second] = outputs.map(recordsIn);
    expect(first?.map(({ name, file, depth, you_are_here }) => [name, file, depth, you_are_here])).toEqual([
      ['main', 'main.template.json', 0, true],
      ['outer', 'outer.json', 1, undefined],
      ['inner', 'inner.json', 2, undefined],
    ]);
    expect(second?.map(({ you_are_here_path }) => you_are_here_path)).toEqual([undefined, undefined, 'outer/inner']);
    expect(second?.[2]).toMatchObject({ recipe: { description: 'Not {{a}} reference' }, import_path: ['outer', 'inner'] });
  });

  test.for([
    ['opts out', { async: true, actor_context: 'off' }],
    ['opts out', { async: true, actor_context: false }],
    ['is not async', {}],
  ] as const)('a program that calls a language model receives no context from a recipe that %s', async ([, envelope]) => {
    const { outputs } = await run({ 'a.template.json': { ...envelope, template: './pi -p ask' }, pi });
    expect(outputs[0]?.stdout).toBe('ask');
  });
});
