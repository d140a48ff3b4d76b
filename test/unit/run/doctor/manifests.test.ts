// The doctor in a project with runtime recipes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { examineProject } from '../../../../src/run/doctor/examineProject.js';
import { validateSetup } from '../../../../src/run/project/validateSetup.js';
import { agent, logic, manifest } from '../../formats/runtime/runManifest.js';

async function examineIn(config: string, document = manifest([agent('a', 'A'), logic('l', 'result = 1')])) {
  const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const setup = `export default { agents: [{ name: 'A', argv: ['node', 'a.mjs'] }, { name: 'B', argv: ['no-such-agent'] }] };`;
  const files = { 'package.json': '{}', 'recipewright.config.mjs': config, 'setup.mjs': setup };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const recipe = join(root, 'a.runtime.json');
  writeFileSync(recipe, JSON.stringify(document));
  const { checks } = await examineProject({ recipe });
  const ids: readonly string[] = ['runtime.actions', 'runtime.programs', 'harness.setup', 'tools.python'];
  const selected = checks.filter(({ id }) => ids.includes(id));
  return Object.fromEntries(selected.map(({ id, status, message }) => [id, `${status}: ${message}`]));
}

test('the doctor passes a recipe with Python code when the config allows Python and Python is installed', async () => {
  const messages = await examineIn(`export default { setup: './setup.mjs', python: true };`);
  expect(messages['runtime.actions']).toMatch(/^pass: /);
  expect(messages['runtime.programs']).toBe('pass: All programs that the recipe starts are installed.');
  expect(messages['harness.setup']).toMatch(/setup\.mjs defines 2 agents\.$/);
});

test('the doctor names a missing Python program as the config names it', async () => {
  const messages = await examineIn(`export default { setup: './setup.mjs', python: { program: 'no-such-python' } };`);
  expect(messages['runtime.programs']).toBe('fail: There is no program "no-such-python" in PATH or in the project.');
});

test.for([
  ['a name', 'no-such-python'],
  ['a path', './venv/bin/no-such-python'],
])('the doctor reports a missing Python program in a check of its own: %s', async ([, program]) => {
  const config = `export default { setup: './setup.mjs', python: { program: '${program}' } };`;
  const messages = await examineIn(config);
  expect(messages['tools.python']).toBe(`fail: The config allows Python, but there is no program "${program}".`);
  expect(messages['runtime.programs']).toBe(`fail: There is no program "${program}" in PATH or in the project.`);
});

test('the doctor names a missing Python program that only a router needs', async () => {
  const routed = manifest([agent('b', 'A')], [{ source_node_id: 'b', router_logic: 'mine.choose', mapping: { x: 'b' } }]);
  const messages = await examineIn(`export default { setup: './setup.mjs', python: { program: 'no-such-python' } };`, routed);
  expect(messages['runtime.programs']).toBe('fail: There is no program "no-such-python" in PATH or in the project.');
});

test('the doctor checks the Python program of the config', async () => {
  const messages = await examineIn(`export default { setup: './setup.mjs', python: { program: process.execPath } };`);
  expect(messages['tools.python']).toBe(`pass: ${process.execPath} runs the Python code of runtime recipes.`);
});

test('the doctor names a missing program of an agent', async () => {
  const messages = await examineIn(`export default { setup: './setup.mjs' };`, manifest([agent('b', 'B')]));
  expect(messages['runtime.programs']).toBe('fail: There is no program "no-such-agent" in PATH or in the project.');
});

test('the doctor reports Python code that the config does not allow', async () => {
  const messages = await examineIn(`export default { setup: './setup.mjs' };`);
  expect(messages['runtime.actions']).toMatch(/^fail: .*the project does not allow Python code/);
});

test.for([
  [{ agents: [{ name: 'A', argv: ['node'] }] }, undefined],
  [{ agents: [{ name: 'A' }] }, '"run" of agents[0] ("A") is missing, but must be a function, unless "argv" names a program'],
  [
    { agents: [{ name: 'A', argv: [] }] },
    '"run" of agents[0] ("A") is missing, but must be a function, unless "argv" names a program',
  ],
  [{ routers: [{ name: 'r' }] }, '"route" of routers[0] ("r") is missing, but must be a function'],
] as const)('validateSetup returns the first problem of the agents and routers: %#', ([setup, problem]) => {
  expect(validateSetup(setup)).toBe(problem);
});
