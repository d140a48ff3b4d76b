// Creates one .feature file for playwright-bdd per recipe, with one scenario and one step per node. playwright-bdd generates specs
// from these files before Playwright lists them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tenNodes } from '../validate/tenNodes.mjs';
import { measureProgram } from './measureProgram.mjs';

/**
 * Installs playwright-bdd with the same Playwright version into a separate folder. Returns undefined, with a message, when that
 * fails.
 */
export function installBdd(folder, playwright) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  const packages = ['playwright-bdd@9', `@playwright/test@${playwright}`];
  const args = ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts', ...packages];
  const { status, stderr, error } = spawnSync('npm', args, {
    ...{ cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' },
  });
  if (status === 0) return folder;
  console.error(
    `playwright-bdd cannot be installed, so the comparison with it is skipped:\n${error?.message ?? stderr.slice(-500)}`,
  );
  return undefined;
}

/** Writes the features into the same folders as the recipes. */
export function writeFeatures(folder, count) {
  rmSync(path.join(folder, 'features'), { recursive: true, force: true });
  const write = (name, text) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  write('bdd.config.js', config);
  write('steps.js', steps);
  for (let index = 0; index < count; index++) write(`features/area-${index % 20}/f${index}.feature`, feature(index));
}

/** Measures the generation of the specs together with the list. */
export function listFeatures(folder, count) {
  rmSync(path.join(folder, '.features-gen'), { recursive: true, force: true });
  const generated = measureProgram(folder, ['node_modules/playwright-bdd/dist/cli/index.js', '-c', 'bdd.config.js']);
  const list = ['node_modules/@playwright/test/cli.js', 'test', '--list', '-c', 'bdd.config.js'];
  const listed = measureProgram(folder, list, `Total: ${count} tests`);
  return {
    wallMs: generated.wallMs + listed.wallMs,
    cpuMs: generated.cpuMs + listed.cpuMs,
    rssMb: Math.max(generated.rssMb, listed.rssMb),
  };
}

const config = `
import { defineConfig } from '@playwright/test';
import { defineBddConfig } from 'playwright-bdd';
export default defineConfig({ testDir: defineBddConfig({ features: 'features/**/*.feature', steps: 'steps.js' }) });
`;

/** Returns the intents of the nodes of one recipe. */
function intents(index) {
  const { nodes } = JSON.parse(tenNodes(index)).validate.workflow;
  return Object.values(nodes).flatMap(({ intent }) => intent ?? []);
}

const asExpression = (intent) => intent.replace('shop-0', '{word}');

const steps = `
import { createBdd } from 'playwright-bdd';
const { Given, When, Then } = createBdd();
Given('the shop {word}', async ({}, _shop) => undefined);
${intents(0)
  .map(asExpression)
  .map((text) => `When(${JSON.stringify(text)}, async (${text.includes('{word}') ? '{}, _shop' : ''}) => undefined);`)
  .join('\n')}
Then('every article of {word} has a price', async ({}, _shop) => undefined);
`;

function feature(index) {
  const shop = `shop-${index}`;
  const lines = [`Given the shop ${shop}`, ...intents(index).map((intent) => `When ${intent}`)];
  return `@AC1
Feature: Prices of ${shop}
  Builds the price report and proves that it is whole.

  Scenario: Every article of ${shop} has a price
${[...lines, `Then every article of ${shop} has a price`].map((line) => `    ${line}`).join('\n')}
`;
}
