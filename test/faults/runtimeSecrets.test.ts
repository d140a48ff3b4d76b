// Secrets as inputs of manifests: given to the agents that name them, found nowhere else, also when an agent tells them on.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AgentRequest, defineAgent, defineLogic } from '../../src/formats/runtime/actions/projectHandlers.js';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import type { Setup } from '../../src/registry/setup.js';
import { agent, edge, logic, manifest, prepareManifest } from '../unit/formats/runtime/runManifest.js';

/** With all that a reader of texts might stumble over. */
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

/** In the spellings that JSON, and JSON in JSON, have for it. */
const spellings = [value, JSON.stringify(value).slice(1, -1), JSON.stringify(JSON.stringify(value)).slice(3, -3)];

function expectNowhere(texts: readonly string[]): void {
  for (const text of texts) for (const spelling of spellings) expect(text).not.toContain(spelling);
}

describe('a secret of a manifest', () => {
  test('reaches the agent that names it exactly as it is, and nobody else', async () => {
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

  test('is on no page of the evidence when the agent gives it back, prints it, or fails with it', async () => {
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

  test('is never kept in a state that lasts', async () => {
    const persistent = { ...rest, state: { schema: {}, persistence: 'persistent' } };
    const agents = [defineAgent('Echo', ({ config }) => ({ kept: config.header }))];
    const { result, texts, names } = await run(manifest([caller('a', 'Echo')], [], persistent), { agents });
    expect(result).toMatchObject({ ran: true, verdict: 'fail' });
    expect(JSON.stringify(result)).toContain('The state holds the value of a secret');
    expectNowhere(texts);
    expect(names.filter((name) => name.startsWith('r-'))).toEqual([]);
  });

  test('that is not there keeps the manifest from running, as a matter of the environment', async () => {
    const setup = { agents: [defineAgent('Caller', () => null)] };
    const { result } = await run(manifest([caller('a', 'Caller')], [], rest), setup, { DESK_TOKEN: '' });
    expect(result).toMatchObject({ ran: false, exitCode: 3, findings: [{ code: 'inputs.missing_secret' }] });
  });

  test('needs a place to be read from', async () => {
    const nowhere = { ...inputs, properties: { token: { type: 'string', format: 'secret-ref', default: 'plain-text' } } };
    const { result } = await run(manifest([caller('a', 'Caller')], [], { interface: { inputs: nowhere, outputs: {} } }), {
      agents: [defineAgent('Caller', () => null)],
    });
    expect(result).toMatchObject({ ran: false, exitCode: 2 });
    const codes = result.findings.map(({ code, path }) => `${code} ${path}`);
    expect(codes).toContain('inputs.invalid_secret_ref /interface/inputs/properties/token');
    expect(codes).toContain('inputs.invalid_default /interface/inputs/properties/token/default');
  });

  test('is not handed to a manifest that another one runs', () => {
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
