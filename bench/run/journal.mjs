// What the two journal lines of a node cost, chain included, beside what the machine itself takes for two such appends and hashes.
import { hash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsup';

const root = fileURLToPath(new URL('../../', import.meta.url));
const nodes = 20_000;

/** Microseconds a node, the better of several turns: by our journal, and by bare appends of lines of the same length. */
export async function journalCost() {
  const { openJournal, systemClock } = await load();
  const dir = mkdtempSync(path.join(tmpdir(), 'journal-bench-'));
  try {
    const [ours, bare] = [[], []];
    for (let turn = 0; turn < 5; turn++) {
      ours.push(
        timed(path.join(dir, `ours-${turn}`), (handle) =>
          byJournal(openJournal(systemClock, (line) => void writeSync(handle, `${line}\n`))),
        ),
      );
      bare.push(timed(path.join(dir, `bare-${turn}`), byHand));
    }
    return { journal: Math.min(...ours), bare: Math.min(...bare) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function timed(file, work) {
  const handle = openSync(file, 'wx');
  const started = performance.now();
  work(handle);
  const micros = ((performance.now() - started) * 1000) / nodes;
  closeSync(handle);
  return micros;
}

function byJournal(journal) {
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

function byHand(handle) {
  const line = `${'x'.repeat(230)}\n`;
  for (let index = 0; index < 2 * nodes; index++) {
    writeSync(handle, line);
    hash('sha256', line);
  }
}

// The journal is no entry point of the package, so it is built by itself, the way the package is.
async function load() {
  const outDir = path.join(root, 'bench/run/generated');
  const entry = { journal: path.join(root, 'src/evidence/journal.ts'), clock: path.join(root, 'src/system/clock.ts') };
  const outExtension = () => ({ js: '.mjs' });
  await build({
    entry,
    outDir,
    format: 'esm',
    target: 'node20.19',
    outExtension,
    config: false,
    silent: true,
    dts: false,
    clean: true,
  });
  const built = (name) => import(pathToFileURL(path.join(outDir, `${name}.mjs`)));
  return { ...(await built('journal')), ...(await built('clock')) };
}
