// A line file grows by whole lines.
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

test('a line is in the file when append() returns', () => {
  const { lines, text } = lineFile();
  lines.append('one');
  expect(text()).toBe('one\n');
});
