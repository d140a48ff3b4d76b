// The package contains the authored manifest, so a secret in the manifest must not be written.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runRecipe } from '../../../../src/hosts/plain/runRecipe.js';

test('a secret in an unused part of a manifest is refused before a file is written', async () => {
  const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const file = join(root, 's.runtime.json');
  const secret = 'hunter2-zebra-991';
  const ask = { id: 'one', type: 'human', timeout_seconds: 5, visual: { label: 'Ask', x_y_coordinates: [1, 2], icon: secret } };
  const token = { type: 'string', format: 'secret-ref', ref: 'env:DESK_TOKEN' };
  writeFileSync(
    file,
    JSON.stringify({
      ...{ id: 's', version: '1.0.0', name: 'Say it', description: 'd', parameters: {} },
      interface: { inputs: { type: 'object', properties: { token } }, outputs: { type: 'object', properties: {} } },
      state: { schema: { type: 'object', properties: {} }, persistence: 'ephemeral' },
      policy: { max_steps: 5, max_retries: 0, timeout: 30, human_in_the_loop: false },
      topology: { nodes: [ask], edges: [] },
    }),
  );
  const dir = join(root, 'out');
  const options = { artifactsDir: dir, projectRoot: root, answers: { one: 'pass' as const } };
  const result = await runRecipe(file, { ...options, env: { ...process.env, DESK_TOKEN: secret } });
  expect(result.findings.map(({ code }) => code)).toContain('inputs.secret_in_recipe');
  expect(result).toMatchObject({ ran: false });
  expect(existsSync(dir)).toBe(false);
  // The same manifest runs when the value is not the secret.
  expect(await runRecipe(file, { ...options, env: { ...process.env, DESK_TOKEN: 'another-harbour-17' } })).toMatchObject({
    ran: true,
  });
});
