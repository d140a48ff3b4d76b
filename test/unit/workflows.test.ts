// The workflows and forms in .github refer to existing scripts, lanes and versions, and to actions by their major version.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = { strategy?: { matrix?: Record<string, unknown[]> }; permissions?: Record<string, string>; steps: Step[] };
type Workflow = { on: Record<string, unknown>; jobs: Record<string, Job> };

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8');
const manifest = JSON.parse(read('package.json')) as { engines: { node: string }; scripts: Record<string, string> };
const { lanes } = (await import(String(new URL('../../scripts/lanes.mjs', import.meta.url)))) as {
  lanes: { name: string; in: string; packages?: string[] }[];
};

const workflows = readdirSync(`${root}.github/workflows`);
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}`)) as Workflow;
const stepsOf = (name: string): Step[] => Object.values(workflow(name).jobs).flatMap(({ steps }) => steps);
const commandsOf = (name: string): string[] => stepsOf(name).flatMap(({ run }) => run ?? []);
const ci = workflow('ci.yml');

describe.each(workflows)('the workflow %s', (name) => {
  test(`the workflow ${name} uses actions by their major version`, () => {
    const actions = stepsOf(name).flatMap(({ uses }) => uses ?? []);
    expect(actions.length).toBeGreaterThan(1);
    expect(actions.filter((action) => !/^actions\/[\w-]+@v\d+$/.test(action))).toEqual([]);
  });

  test(`the workflow ${name} runs scripts that package.json has`, () => {
    const scripts = commandsOf(name).flatMap(
      (command) => /^npm (?:run ([\w:]+)|(test))/.exec(command)?.slice(1).find(Boolean) ?? [],
    );
    expect(scripts).toContain('test');
    expect(scripts.filter((script) => manifest.scripts[script] === undefined)).toEqual([]);
  });
});

test('CI runs npm test on three systems and with three versions of Node, including the oldest supported one', () => {
  expect(ci.jobs.test?.strategy?.matrix).toEqual({
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: [20, 22, 24],
  });
  expect(manifest.engines.node).toMatch(/^>=20\./);
  expect(ci.jobs.test?.steps.map(({ run }) => run)).toContain('npm test');
});

test('CI runs every lane of other versions, with the browser of the oldest Playwright', () => {
  const versions = lanes.filter((lane) => lane.in === 'versions');
  expect(ci.jobs.versions?.strategy?.matrix).toEqual({ lane: versions.map(({ name }) => name) });
  const [oldest = ''] = versions.find(({ name }) => name === 'oldest')?.packages ?? [];
  const version = oldest.replace('@playwright/test@', '');
  expect(commandsOf('ci.yml')).toContain(`npx --yes playwright@${version} install --with-deps chromium`);
});

test('a tag publishes a release with provenance, in a job that may request an identity token', () => {
  const { on, jobs } = workflow('release.yml');
  expect(on).toEqual({ push: { tags: ['v*'] } });
  expect(jobs.publish?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  const commands = commandsOf('release.yml').map((command) => command.trim());
  const order = ['npm ci', 'npm test', 'npm pack', 'npm publish ./recipewright-*.tgz --provenance --access public'];
  expect(commands.filter((command) => order.includes(command))).toEqual(order);
  expect(read('.github/workflows/release.yml')).not.toMatch(/secrets\./);
});

test.each(['bug.yml', 'feature.yml'])('the form %s is valid and has more than two questions', (name) => {
  const form = parse(read(`.github/ISSUE_TEMPLATE/${name}`)) as {
    name: string;
    description: string;
    body: { type: string; id?: string }[];
  };
  expect([form.name, form.description].filter(Boolean)).toHaveLength(2);
  const ids = form.body.filter(({ type }) => type !== 'markdown').map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(2);
  expect(new Set(ids).size).toBe(ids.length);
});
