// Creates one .feature file per recipe for quickpickle, another Vitest plugin, each with one scenario of ten steps.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { moduleFolder } from './generate.mjs';

/**
 * Installs quickpickle into a separate folder and writes the features. Returns undefined, with a message, when the installation
 * fails.
 */
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
    console.error(
      `quickpickle cannot be installed, so the comparison with it is skipped:\n${error?.message ?? stderr.slice(-500)}`,
    );
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
