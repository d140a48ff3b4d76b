import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readDocumentFile } from '../../../src/check/readDocumentFile.js';

const dir = mkdtempSync(join(tmpdir(), 'read-file-'));
afterAll(() => rmSync(dir, { recursive: true }));
const at = (name: string) => join(dir, name);

function expectRefused(file: string, code: string, message: RegExp): void {
  const { document, findings, text } = readDocumentFile(file);
  expect({ document, text }).toEqual({ document: undefined, text: '' });
  const place = { file, line: 1, column: 1 };
  expect(findings).toEqual([
    { code, severity: 'error', path: '', place, message: expect.stringMatching(message), hint: expect.stringMatching(/\.$/) },
  ]);
}

test('a document is read from a file, also through a link', () => {
  writeFileSync(at('good.json'), '{ "a": 1 }');
  symlinkSync('good.json', at('link.json'));
  expect(readDocumentFile(at('link.json'))).toMatchObject({ document: { file: at('link.json'), value: { a: 1 } }, findings: [] });
});

test('a file is read even when the system reports no size', ({ skip }) => {
  skip(process.platform !== 'linux', 'there is no /proc');
  expect(readDocumentFile('/proc/sys/kernel/pid_max').document?.value).toBeGreaterThan(1);
  expect(readDocumentFile('/proc/self/maps', { bytes: 100 }).findings).toMatchObject([{ code: 'document.too_large' }]);
});

test('a file of exactly the size limit is read, and one byte more is refused', () => {
  writeFileSync(at('limit.json'), '[1, 2]');
  expect(readDocumentFile(at('limit.json'), { bytes: 6 }).document?.value).toEqual([1, 2]);
  expect(readDocumentFile(at('limit.json'), { bytes: 5 }).findings).toMatchObject([
    { code: 'document.too_large', message: 'The file has 6 bytes, more than the limit of 5.' },
  ]);
});

test('the finding about an empty file says that it is empty', () => {
  writeFileSync(at('empty.json'), '');
  expect(readDocumentFile(at('empty.json')).findings).toMatchObject([
    { code: 'document.invalid_json', message: expect.stringContaining('empty') },
  ]);
});

test('a missing file and a broken link are refused as not found', () => {
  writeFileSync(at('file'), '');
  symlinkSync('../nowhere.json', at('dangling.json'));
  expectRefused(at('none.json'), 'document.not_found', /^There is no such file\.$/);
  expectRefused(at('file/below.json'), 'document.not_found', /^There is no such file\.$/);
  expectRefused(at('dangling.json'), 'document.not_found', /a link to "\.\.\/nowhere\.json", which does not exist/);
});

test('a path that names something other than a file is refused', async () => {
  mkdirSync(at('directory.json'));
  expectRefused(at('directory.json'), 'document.not_a_file', /names a directory/);
  execFileSync('mkfifo', [at('pipe.json')]);
  expectRefused(at('pipe.json'), 'document.not_a_file', /names a named pipe/);
  expectRefused('/dev/zero', 'document.not_a_file', /names a device/);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(at('socket.json'), resolve));
  expectRefused(at('socket.json'), 'document.not_a_file', /names a socket/);
  server.close();
});

test('an impossible path is refused as unreadable', () => {
  symlinkSync('circle.json', at('circle.json'));
  expectRefused(at('circle.json'), 'document.unreadable', /its links form a cycle \(ELOOP\)/);
  expectRefused(at('a\0b.json'), 'document.unreadable', /a character that no path can have/);
  expectRefused(at('x'.repeat(5000)), 'document.unreadable', /the path is too long/);
});

test('a file without read permission is refused as unreadable', () => {
  writeFileSync(at('closed.json'), '{}', { mode: 0o000 });
  chmodSync(dir, 0o755);
  asNobody(() => expectRefused(at('closed.json'), 'document.unreadable', /permission is denied \(EACCES\)/));
});

test('a file that becomes a pipe during the read does not block it', async () => {
  writeFileSync(at('a.json'), '{}');
  writeFileSync(at('swapped.json'), '{}');
  execFileSync('mkfifo', [at('b.json')]);
  const swap = `const fs = require('node:fs'); for (;;) for (const name of ['a', 'b']) {
    fs.linkSync(name + '.json', name + '.link'); fs.renameSync(name + '.link', 'swapped.json'); }`;
  const swapper = spawn(process.execPath, ['-e', swap], { cwd: dir, stdio: 'ignore' });
  const ended = once(swapper, 'exit');
  const seen = new Set<string>();
  // About one read in two hundred looks at the file and opens the pipe.
  const until = performance.now() + 10_000;
  for (let reads = 0; (reads < 30_000 || seen.size < 2) && performance.now() < until; reads++) {
    const { document, findings } = readDocumentFile(at('swapped.json'));
    seen.add(document ? 'read' : findings.map(({ code }) => code).join());
  }
  swapper.kill('SIGKILL');
  await ended;
  expect([...seen].sort()).toEqual(['document.not_a_file', 'read']);
});

/** Permissions do not bind root. */
function asNobody(act: () => void): void {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    act();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
