// Secrets as inputs of manifests reach only the agents that refer to them, and appear in no file even when an agent returns or prints them.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AgentRequest, defineAgent, defineLogic } from '../../src/formats/runtime/actions/projectHandlers.js';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import type { Setup } from '../../src/registry/setup.js';
import { agent, edge, logic, manifest, prepareManifest } from '../unit/formats/runtime/runManifest.js';

/** A value with escapes, references, quotes and backslashes. */
const value = 'h\\u0065y {{ topic }} "k3y" \\\\ 77-secret';

const inputs = {
  type: 'object',
  properties: {
    topic: { type: 'string', default: 'tea' },
    token: { type: 'string', format: 'secret-ref', ref: 'env:DESK_TOKEN' },
  },
  required: ['topic', 'token'],
};
const rest = { interface: { inputs, outputs: {} } };

const caller = (id: string, name: string) =>
  agent(id, name, {
    config: { header: 'Bearer {{ token }}', again: ['{{ inputs.token }}'] },
    system_prompt: 'You are {{ token }}',
  });

async function run(document: object, setup: Setup, env: Record<string, string> = { DESK_TOKEN: value }) {
  const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'package.json'), '{}');
  writeFileSync(join(root, 'a.runtime.json'), JSON.stringify(document));
  const options = { artifactsDir: join(root, 'out'), projectRoot: root, setup, env: { ...process.env, ...env } };
  const result = await runRecipe(join(root, 'a.runtime.json'), options);
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  return { result, texts, names: files.map(({ name }) => name) };
}

/** The spellings of the value in JSON, and in JSON inside JSON. */
const spellings = [value, JSON.stringify(value).slice(1, -1), JSON.stringify(JSON.stringify(value)).slice(3, -3)];

function expectNowhere(texts: readonly string[]): void {
  for (const text of texts) for (const spelling of spellings) expect(text).not.toContain(spelling);
}

describe('a secret of a manifest', () => {
  test('a secret reaches unchanged the agent that refers to it, and no other agent', async () => {
    const seen: AgentRequest[] = [];
    const others: unknown[] = [];
    const nodes = [caller('a', 'Caller'), agent('b', 'Other', { config: { topic: '{{ topic }}' } }), logic('c', 'see')];
    const { result, texts } = await run(manifest(nodes, [edge('a', 'b'), edge('b', 'c', "token == 'x' or True")], rest), {
      agents: [
        defineAgent('Caller', (request) => void seen.push(request)),
        defineAgent('Other', (request) => void others.push(request)),
      ],
      logic: [defineLogic('see', (values) => void others.push(values))],
    });
    expect(result).toMatchObject({ ran: true, verdict: 'pass' });
    expect(seen).toMatchObject([
      { config: { header: `Bearer ${value}`, again: [value] }, system_prompt: 'You are {{ token }}', inputs: { topic: 'tea' } },
    ]);
    expect(seen[0]?.inputs).toEqual({ topic: 'tea' });
    expectNowhere([JSON.stringify(others), ...texts]);
  });

  test('no file of the package has a secret that an agent returns, prints or throws', async () => {
    const program = `let text = ''; for await (const chunk of process.stdin) text += chunk; const { config } = JSON.parse(text); console.error(config.header); console.log(JSON.stringify({ echo: config.header })); `;
    const agents = [
      defineAgent('Echo', ({ config }) => ({ output: config.header, state: { kept: config.again } })),
      defineAgent('Program', { argv: ['node', '--input-type=module', '-e', program] }),
      defineAgent('Thrower', ({ config }) => {
        throw new Error(`401 for ${config.header}`);
      }),
    ];
    const nodes = [caller('a', 'Echo'), caller('b', 'Program'), caller('c', 'Thrower')];
    const { result, texts } = await run(manifest(nodes, [edge('a', 'b'), edge('b', 'c')], rest), { agents });
    expect(result).toMatchObject({ ran: true });
    expect(JSON.stringify(result)).toContain('401 for ');
    expectNowhere([JSON.stringify(result), ...texts]);
  });

  test('a secret is not saved in a persistent state', async () => {
    const persistent = { ...rest, state: { schema: {}, persistence: 'persistent' } };
    const agents = [defineAgent('Echo', ({ config }) => ({ kept: config.header }))];
    const { result, texts, names } = await run(manifest([caller('a', 'Echo')], [], persistent), { agents });
    expect(result).toMatchObject({ ran: true, verdict: 'fail' });
    expect(JSON.stringify(result)).toContain('The state contains the value of a secret');
    expectNowhere(texts);
    expect(names.filter((name) => name.startsWith('r-'))).toEqual([]);
  });

  test('a manifest with a missing secret does not run, which is a fault of the environment', async () => {
    const setup = { agents: [defineAgent('Caller', () => null)] };
    const { result } = await run(manifest([caller('a', 'Caller')], [], rest), setup, { DESK_TOKEN: '' });
    expect(result).toMatchObject({ ran: false, exitCode: 3, findings: [{ code: 'inputs.missing_secret' }] });
  });

  test('a secret without a ref is refused', async () => {
    const nowhere = { ...inputs, properties: { token: { type: 'string', format: 'secret-ref', default: 'plain-text' } } };
    const { result } = await run(manifest([caller('a', 'Caller')], [], { interface: { inputs: nowhere, outputs: {} } }), {
      agents: [defineAgent('Caller', () => null)],
    });
    expect(result).toMatchObject({ ran: false, exitCode: 2 });
    const codes = result.findings.map(({ code, path }) => `${code} ${path}`);
    expect(codes).toContain('inputs.invalid_secret_ref /interface/inputs/properties/token');
    expect(codes).toContain('inputs.invalid_default /interface/inputs/properties/token/default');
  });

  test('a secret cannot be mapped to an input of a nested manifest', () => {
    const sub = { id: 's', type: 'recipe', recipe_id: 'child', input_mapping: { token: 'token' }, output_mapping: {} };
    const child = manifest([caller('a', 'Caller')], [], { ...rest, id: 'child' });
    const { findings } = prepareManifest(manifest([sub], [], rest), {
      others: [child],
      agents: [defineAgent('Caller', () => 1)],
    });
    expect(findings).toContainEqual(expect.objectContaining({ code: 'runtime.misplaced_secret', severity: 'warning' }));
    expect(findings.some(({ severity, message }) => severity === 'error' && /is a secret/.test(message))).toBe(true);
  });
});
