// A file that grows by whole lines.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLineFile } from '../../../../src/system/files/lineFile.js';

function lineFile() {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-lines-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'lines.txt');
  return { lines: openLineFile(file), text: () => readFileSync(file, 'utf8') };
}

test('a line is there when the call returns', () => {
  const { lines, text } = lineFile();
  lines.append('one');
  expect(text()).toBe('one\n');
});

test('a line that may wait goes with the next one, in its order', () => {
  const { lines, text } = lineFile();
  lines.append('one', true);
  expect(text()).toBe('');
  lines.append('two');
  expect(text()).toBe('one\ntwo\n');
});

test('a line that may wait is there at the end of the turn, and when the file is closed', async () => {
  const { lines, text } = lineFile();
  lines.append('one', true);
  lines.append('two', true);
  await Promise.resolve();
  expect(text()).toBe('one\ntwo\n');
  lines.append('three', true);
  lines.close();
  expect(text()).toBe('one\ntwo\nthree\n');
});
