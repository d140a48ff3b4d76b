import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownScript } from '../../../src/system/ownScript.js';

const dist = fileURLToPath(new URL('../../../dist', import.meta.url));
const main = 'library.cjs';
const isNode20 = process.versions.node.startsWith('20.');

// What a build made for this Node; another one keeps its own bytecode.
describe.runIf(isNode20)('the bytecode of the package', () => {
  it('the bytecode of the package is accepted by V8', () => {
    const script = new Script(module.wrap(readFileSync(path.join(dist, main), 'utf8')), {
      cachedData: readFileSync(path.join(dist, `${main}.bytecode`)),
    });
    expect(script.cachedDataRejected).toBe(false);
  });

  it('the bytecode of the package holds no path of the build machine', () => {
    const bytecode = readFileSync(path.join(dist, `${main}.bytecode`));
    expect(bytecode.includes(ownScript)).toBe(true);
    expect(bytecode.includes(path.dirname(dist))).toBe(false);
  });

  it('bytecode of another script is refused, and the present script runs', () => {
    const { dir, version } = copied();
    const text = readFileSync(path.join(dir, main), 'utf8');
    writeFileSync(path.join(dir, main), `process.stdout.write('changed ');${text}`);
    expect(version()).toMatch(/^changed recipewright\//);
  });

  it.each([
    ['cut short', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 100_000))],
    ['empty', (file: string) => writeFileSync(file, '')],
    ['not there', (file: string) => rmSync(file)],
  ])('the command line works when its bytecode is %s', (_how, spoil) => {
    const { dir, version } = copied();
    spoil(path.join(dir, `${main}.bytecode`));
    expect(version()).toMatch(/^recipewright\//);
  });
});

it('a part that is not there is no success', () => {
  const { dir } = copied();
  writeFileSync(path.join(dir, 'odd.js'), "import { loadPart } from './loadPart.js';\nloadPart('odd');\n");
  expect(() => execFileSync(process.execPath, [path.join(dir, 'odd.js')], { stdio: 'pipe' })).toThrow('has no part "odd"');
});

function copied() {
  const root = mkdtempSync(path.join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const dir = path.join(root, 'dist');
  mkdirSync(dir);
  writeFileSync(path.join(root, 'package.json'), '{ "type": "module" }');
  for (const name of ['cli.js', 'loadPart.js', main, `${main}.bytecode`, 'nativeImport.cjs'])
    copyFileSync(path.join(dist, name), path.join(dir, name));
  return { dir, version: () => execFileSync(process.execPath, [path.join(dir, 'cli.js'), '--version'], { encoding: 'utf8' }) };
}
