// What a doctor says of a project with runtime recipes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { examineProject } from '../../../../src/run/doctor/examineProject.js';
import { validateSetup } from '../../../../src/run/project/validateSetup.js';
import { agent, logic, manifest } from '../../formats/runtime/runManifest.js';

async function askedIn(config: string, document = manifest([agent('a', 'A'), logic('l', 'result = 1')])) {
  const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const setup = `export default { agents: [{ name: 'A', argv: ['node', 'a.mjs'] }, { name: 'B', argv: ['no-such-agent'] }] };`;
  const files = { 'package.json': '{}', 'recipewright.config.mjs': config, 'setup.mjs': setup };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const recipe = join(root, 'a.runtime.json');
  writeFileSync(recipe, JSON.stringify(document));
  const { checks } = await examineProject({ recipe });
  const told = checks.filter(({ id }) => ['runtime.actions', 'runtime.programs', 'harness.setup', 'tools.python'].includes(id));
  return Object.fromEntries(told.map(({ id, status, message }) => [id, `${status}: ${message}`]));
}

test('Python code is fine where the config allows it, and its program is there', async () => {
  const told = await askedIn(`export default { setup: './setup.mjs', python: true };`);
  expect(told['runtime.actions']).toMatch(/^pass: /);
  expect(told['runtime.programs']).toBe('pass: The programs it names are there.');
  expect(told['harness.setup']).toMatch(/setup\.mjs gives 2 agents\.$/);
});

test('a missing Python is named, as it is called in the config', async () => {
  const told = await askedIn(`export default { setup: './setup.mjs', python: { program: 'no-such-python' } };`);
  expect(told['runtime.programs']).toBe('fail: There is no program "no-such-python" in PATH or in the project.');
});

test.for([
  ['a name', 'no-such-python'],
  ['a path', './venv/bin/no-such-python'],
])('a missing Python is a failure of its own, whatever recipe is asked about: %s', async ([, program]) => {
  const config = `export default { setup: './setup.mjs', python: { program: '${program}' } };`;
  const told = await askedIn(config);
  expect(told['tools.python']).toBe(`fail: The config turns Python on, but there is no program "${program}".`);
  expect(told['runtime.programs']).toBe(`fail: There is no program "${program}" in PATH or in the project.`);
});

test('a missing Python is named, too, when only a router needs it', async () => {
  const routed = manifest([agent('b', 'A')], [{ source_node_id: 'b', router_logic: 'mine.choose', mapping: { x: 'b' } }]);
  const told = await askedIn(`export default { setup: './setup.mjs', python: { program: 'no-such-python' } };`, routed);
  expect(told['runtime.programs']).toBe('fail: There is no program "no-such-python" in PATH or in the project.');
});

test('the Python that is looked at is the one of the config', async () => {
  const told = await askedIn(`export default { setup: './setup.mjs', python: { program: process.execPath } };`);
  expect(told['tools.python']).toBe(`pass: Python code of runtime recipes is run by ${process.execPath}.`);
});

test('a missing program of an agent is named', async () => {
  const told = await askedIn(`export default { setup: './setup.mjs' };`, manifest([agent('b', 'B')]));
  expect(told['runtime.programs']).toBe('fail: There is no program "no-such-agent" in PATH or in the project.');
});

test('Python code that the config does not allow is told of', async () => {
  const told = await askedIn(`export default { setup: './setup.mjs' };`);
  expect(told['runtime.actions']).toMatch(/^fail: .*the project does not allow Python code/);
});

test.for([
  [{ agents: [{ name: 'A', argv: ['node'] }] }, undefined],
  [{ agents: [{ name: 'A' }] }, 'agents[0] ("A") has nothing as "run", but it is to be a function, unless "argv" is a program'],
  [
    { agents: [{ name: 'A', argv: [] }] },
    'agents[0] ("A") has nothing as "run", but it is to be a function, unless "argv" is a program',
  ],
  [{ routers: [{ name: 'r' }] }, 'routers[0] ("r") has nothing as "route", but it is to be a function'],
] as const)('a setup module is told what is wrong with its agents and routers: %#', ([setup, problem]) => {
  expect(validateSetup(setup)).toBe(problem);
});
