import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { readDocumentFile } from '../../../../src/check/readDocumentFile.js';
import { prefetchText, readPrefetched } from '../../../../src/hosts/playwright/prefetchDocument.js';

const dir = mkdtempSync(join(tmpdir(), 'read-ahead-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
afterEach(() => vi.useRealTimers());

const write = (name: string, content: string | Buffer): string => {
  const file = join(dir, name);
  writeFileSync(file, content);
  return file;
};

const read = (file: string) => {
  const { document, text, findings } = readPrefetched(file, {});
  return { value: document?.value, text, findings };
};

const fromDisk = (file: string) => {
  const { document, text, findings } = readDocumentFile(file);
  return { value: document?.value, text, findings };
};

const contents: [name: string, content: string | Buffer][] = [
  ['plain.recipe.json', '{ "title": "A" }'],
  ['mark.recipe.json', '\ufeff{ "title": "A" }'],
  ['replaced.recipe.json', '{ "title": "\ufffd" }'],
  ['latin.recipe.json', Buffer.from('{ "title": "Größe" }', 'latin1')],
  ['wide.recipe.json', Buffer.from('{ "title": "A" }', 'utf16le')],
  ['twice.recipe.json', '{ "title": "A", "title": "B" }'],
  ['deep.recipe.json', `{ "title": "ü", "deep": ${'['.repeat(70)}${']'.repeat(70)} }`],
  ['empty.recipe.json', ''],
  ['front.template.md', '---\ntitle: A\n---\n# A\n'],
];

test.for(contents)('what was read ahead says the same as the file: %s', ([name, content]) => {
  const file = write(name, content);
  prefetchText(file);
  expect(read(file)).toEqual(fromDisk(file));
});

test('a file that changed since is read again, whatever its size and its times are', () => {
  const file = write('changed.recipe.json', '{ "title": "A" }');
  vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
  prefetchText(file);
  write('changed.recipe.json', '{ "title": "B" }');
  utimesSync(file, new Date(0), new Date(0));
  vi.setSystemTime(Date.now() + 3_000);
  prefetchText(write('other.recipe.json', '{}'));
  expect(read(file).value).toEqual({ title: 'B' });
});

test('it is taken once', () => {
  const file = write('once.recipe.json', '{ "title": "A" }');
  prefetchText(file);
  read(file);
  write('once.recipe.json', '{ "title": "B" }');
  expect(read(file).value).toEqual({ title: 'B' });
});

test('what cannot be read is refused by whoever reads it for good', () => {
  const file = join(dir, 'gone.recipe.json');
  expect(prefetchText(file)).toBe('');
  expect(read(file).findings).toMatchObject([{ code: 'document.not_found' }]);
});
