// Measures the time of the two journal lines of a node, including their hash chain, and the time of two plain appends and hashes.
import { hash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSources } from './buildSources.mjs';

const nodes = 20_000;

/** Returns microseconds per node, the best of five rounds: with the journal, and with plain appends of lines of the same length. */
export async function measureJournal() {
  const { openJournal, systemClock } = await loadJournal();
  const dir = mkdtempSync(path.join(tmpdir(), 'journal-bench-'));
  try {
    const [journal, plain] = [[], []];
    for (let round = 0; round < 5; round++) {
      journal.push(
        measure(path.join(dir, `journal-${round}`), (handle) =>
          writeJournal(openJournal(systemClock, (line) => void writeSync(handle, `${line}\n`))),
        ),
      );
      plain.push(measure(path.join(dir, `plain-${round}`), appendLines));
    }
    return { journal: Math.min(...journal), plain: Math.min(...plain) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function measure(file, work) {
  const handle = openSync(file, 'wx');
  const startedAt = performance.now();
  work(handle);
  const micros = ((performance.now() - startedAt) * 1000) / nodes;
  closeSync(handle);
  return micros;
}

function writeJournal(journal) {
  for (let index = 0; index < nodes; index++) {
    const at = { path: `n${index}`, visit: 1, attempt: 0 };
    journal.write({
      t: 'begin',
      ...at,
      action: 'bench.noop',
      intent: 'Take a step of the long way',
      record: 'trace_only',
      fallible: true,
    });
    journal.write({ t: 'end', ...at, ms: 0, ok: true, next: `n${index + 1}` });
  }
}

function appendLines(handle) {
  const line = `${'x'.repeat(230)}\n`;
  for (let index = 0; index < 2 * nodes; index++) {
    writeSync(handle, line);
    hash('sha256', line);
  }
}

async function loadJournal() {
  const folder = await buildSources('journal', { journal: 'evidence/journal.ts', clock: 'system/clock.ts' });
  return { ...(await import(new URL('journal.js', folder))), ...(await import(new URL('clock.js', folder))) };
}
