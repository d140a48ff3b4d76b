// As many .feature files for playwright-bdd, which makes specs of them before Playwright lists those: one scenario each, with a step per node.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tenNodes } from '../validate/tenNodes.mjs';
import { metered } from './metered.mjs';

/** Installs it, beside the same Playwright, into a folder of its own; undefined, with a word on why, where that is not possible. */
export function installBdd(folder, playwright) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  const packages = ['playwright-bdd@9', `@playwright/test@${playwright}`];
  const args = ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts', ...packages];
  const { status, stderr, error } = spawnSync('npm', args, {
    ...{ cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' },
  });
  if (status === 0) return folder;
  console.error(`playwright-bdd cannot be installed, so it is not compared with:\n${error?.message ?? stderr.slice(-500)}`);
  return undefined;
}

/** The same folders that the recipes have. */
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

/** What has to happen before anything is listed, and the list. */
export function listFeatures(folder, count) {
  rmSync(path.join(folder, '.features-gen'), { recursive: true, force: true });
  const generated = metered(folder, ['node_modules/playwright-bdd/dist/cli/index.js', '-c', 'bdd.config.js']);
  const list = ['node_modules/@playwright/test/cli.js', 'test', '--list', '-c', 'bdd.config.js'];
  const listed = metered(folder, list, `Total: ${count} tests`);
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

/** The intents of a recipe's nodes, with the name of the shop as a parameter. */
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
