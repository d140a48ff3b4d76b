import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { readDocumentFile } from '../../../../src/check/readDocumentFile.js';
import { prefetchText, readPrefetched } from '../../../../src/hosts/playwright/prefetchDocument.js';

const dir = mkdtempSync(join(tmpdir(), 'prefetch-'));
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

test.for(contents)('a prefetched document is read in the same way as its file: %s', ([name, content]) => {
  const file = write(name, content);
  prefetchText(file);
  expect(read(file)).toEqual(fromDisk(file));
});

test('a document that changed after it was prefetched is read again, even with the same size and an old time', () => {
  const file = write('changed.recipe.json', '{ "title": "A" }');
  vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
  prefetchText(file);
  write('changed.recipe.json', '{ "title": "B" }');
  utimesSync(file, new Date(0), new Date(0));
  vi.setSystemTime(Date.now() + 3_000);
  prefetchText(write('other.recipe.json', '{}'));
  expect(read(file).value).toEqual({ title: 'B' });
});

test('a prefetched text is used only once', () => {
  const file = write('once.recipe.json', '{ "title": "A" }');
  prefetchText(file);
  read(file);
  write('once.recipe.json', '{ "title": "B" }');
  expect(read(file).value).toEqual({ title: 'B' });
});

test('a document that cannot be prefetched is refused when it is read', () => {
  const file = join(dir, 'gone.recipe.json');
  expect(prefetchText(file)).toBe('');
  expect(read(file).findings).toMatchObject([{ code: 'document.not_found' }]);
});
