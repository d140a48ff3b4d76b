// A machine-readable report is the only output on stdout.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { recipe } from '../support/recipe.js';
import { vitestProject } from '../support/vitestProject.js';

const claiming = (heard: string) => {
  const assert = { path: '$.stdout', operator: 'contains', value: heard };
  const speak = { action: 'command', argv: ['echo', 'cats & <dogs>'], intent: 'Say <b> & c', proofTarget: 'AC1', assert };
  return recipe({ speak }, { title: 'Cats & <dogs>', proofTargets: [{ id: 'AC1', claim: 'Cats & dogs <cost> "5" €' }] });
};
const files = { 'recipes/a.recipe.json': claiming('cats & '), 'recipes/b.recipe.json': claiming('mice & <rats>') };
const config = `
  import { withRecipes } from 'recipewright/vitest';
  export default withRecipes({ test: { maxWorkers: 1 } }, { recipes: 'recipes/*.recipe.json' });
`;
const escapeCode = String.fromCharCode(27);

const asXml = (text: string) =>
  JSON.parse(
    execFileSync(
      'python3',
      [
        '-c',
        `import json, sys, xml.etree.ElementTree as xml
print(json.dumps([[c.get('classname'), c.get('name'), [f.get('type') for f in c.iter('failure')], len(list(c.iter('error')))] for c in xml.fromstring(sys.stdin.buffer.read()).iter('testcase')]))`,
      ],
      { input: text, encoding: 'utf8' },
    ),
  ) as [file: string, name: string, failures: string[], errors: number][];

test('with a machine-readable report, stdout contains only the report, the summary goes to stderr, and neither pipe has colors', async () => {
  const project = vitestProject({ ...files, 'vitest.config.ts': config });
  const run = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await project.run(args, { env: { CI: '1', NO_COLOR: '' } });
    expect(exitCode).toBe(1);
    const closing = [stdout, stderr].map((text) => text.indexOf('Recipe evidence in recipe-results'));
    const own = stderr.slice(closing[1]);
    expect(own).toContain('AC1 refuted: Cats & dogs <cost> "5" €');
    expect({ closing: closing[0], colours: own.includes(escapeCode) }).toEqual({ closing: -1, colours: false });
    // Vitest 5 writes some reports to a file and prints its path.
    const [, file] = /report written to (.*)/.exec(stdout) ?? [];
    return file === undefined ? stdout : readFileSync(file, 'utf8');
  };
  expect(JSON.parse(await run('--reporter=json'))).toMatchObject({ success: false, numPassedTests: 1, numFailedTests: 1 });
  expect(asXml(await run('--reporter=junit')).sort()).toEqual([
    ['recipes/a.recipe.json', 'Cats & <dogs>', [], 0],
    ['recipes/b.recipe.json', 'Cats & <dogs>', ['AssertionError'], 0],
  ]);
  const tap = (await run('--reporter=tap-flat')).split('\n');
  expect(tap[0]).toBe('TAP version 13');
  expect(tap[1]).toBe('1..2');
  expect(tap.filter((line) => /^(not )?ok \d/.test(line)).length).toBe(2);
  expect(tap.at(-2)?.trim()).toBe('...');
  expect(await run('--reporter=tap')).toMatch(/^TAP version 13\n[\s\S]*\n}\n$/);
});

test('with a report for people, the summary goes to stdout, in colors when FORCE_COLOR is set', async () => {
  const project = vitestProject({ ...files, 'vitest.config.ts': config });
  const plain = await project.run(['recipes/a', '--reporter=dot', '--reporter=json', '--outputFile.json=report.json'], {
    env: { CI: '1', NO_COLOR: '' },
  });
  const own = plain.stdout.slice(plain.stdout.indexOf('Recipe evidence in'));
  expect(plain).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  expect(own).toContain('pass    recipes/a  recipe-results/recipes/a');
  const coloured = await project.run(['recipes/a'], { env: { FORCE_COLOR: '1', NO_COLOR: '' } });
  expect(coloured.stdout).toContain(`${escapeCode}[32mpass   ${escapeCode}[39m recipes/a`);
});
