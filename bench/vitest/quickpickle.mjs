// As many .feature files for quickpickle, another plugin of Vitest, as there are recipes: each with one scenario of ten steps.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { moduleFolder } from './generate.mjs';

/** Installs it into a folder of its own; undefined, with a word on why, where that is not possible. */
export function generateFeatures(dir, count) {
  const folder = path.join(dir, 'pickle');
  mkdirSync(path.join(folder, 'features'), { recursive: true });
  const write = (name, text) => writeFileSync(path.join(folder, name), text);
  write('package.json', '{ "type": "module", "private": true }\n');
  const { version } = JSON.parse(readFileSync(path.join(moduleFolder('vitest'), 'package.json'), 'utf8'));
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--legacy-peer-deps', 'quickpickle@1', `vitest@${version}`];
  const { status, stderr, error } = spawnSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    console.error(`quickpickle cannot be installed, so it is not compared with:\n${error?.message ?? stderr.slice(-500)}`);
    return undefined;
  }
  write('steps.js', steps);
  write('pickle.config.mjs', config);
  for (let index = 0; index < count; index++) write(`features/f${index}.feature`, feature(index));
  return folder;
}

const config = `
import { quickpickle } from 'quickpickle';
export default {
  plugins: [quickpickle({})],
  test: { include: ['features/*.feature'], setupFiles: ['./steps.js'] },
};
`;

const steps = `
import { Given } from 'quickpickle';
Given('nothing is done for the time number {int}', async () => undefined);
`;

function feature(index) {
  const lines = Array.from({ length: 10 }, (_, number) => `    Given nothing is done for the time number ${number}`);
  return `Feature: Prices of shop-${index}\n  Scenario: Nothing ${index}\n${lines.join('\n')}\n`;
}
