// Runs a document of this folder with real processes in a temporary directory, and reads its package from the disk.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadRecipe } from '../../src/check/loadRecipe.js';
import { type JournalLine, readJournal } from '../../src/evidence/journal.js';
import { replayJournal } from '../../src/evidence/replayJournal.js';
import type { TraceEntry } from '../../src/evidence/trace.js';
import type { Summary } from '../../src/evidence/writePackage.js';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { createRegistry } from '../../src/registry/registry.js';

const folder = fileURLToPath(new URL('./documents/', import.meta.url));

export type DocumentRun = {
  summary: Summary;
  trace: TraceEntry[];
  lines: JournalLine[];
  /** The result of replaying the recorded decisions in the engine: undefined, or the first difference. */
  replayed: string | undefined;
  entry(nodeId: string): TraceEntry;
};

export async function runDocument(name: string, programs: Record<string, string>): Promise<DocumentRun> {
  const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  try {
    for (const [file, text] of Object.entries(programs)) writeFileSync(join(root, file), text);
    mkdirSync(join(root, 'recipes'));
    const file = join(root, 'recipes', name);
    cpSync(join(folder, name), file);
    const result = await runRecipe(file, { artifactsDir: join(root, 'out'), projectRoot: root });
    if (!result.ran) throw new Error(JSON.stringify(result.findings, null, 2));
    const texts = readFileSync(join(root, 'out/journal.jsonl'), 'utf8').trimEnd().split('\n');
    const { lines, problem } = readJournal(texts);
    if (problem !== undefined) throw new Error(problem);
    const { loaded } = loadRecipe(file, { registry: createRegistry(), projectRoot: root });
    if (!loaded) throw new Error('the document does not load');
    const trace = JSON.parse(readFileSync(join(root, 'out/trace.json'), 'utf8')) as TraceEntry[];
    return {
      summary: result.summary,
      trace,
      lines,
      replayed: replayJournal(loaded.plan, lines),
      entry: (nodeId) => entryOf(trace, nodeId),
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}

function entryOf(trace: readonly TraceEntry[], nodeId: string): TraceEntry {
  const found = trace.find((entry) => entry.nodeId === nodeId);
  if (!found) throw new Error(`${nodeId} is not in the trace: ${trace.map((entry) => entry.nodeId).join(', ')}`);
  return found;
}

/** Returns the maximum number of matching nodes that ran at the same time, by the journal. */
export function mostInFlight(lines: readonly JournalLine[], path: RegExp): number {
  let [now, most] = [0, 0];
  for (const line of lines) {
    if (!path.test(line.path)) continue;
    now += line.t === 'begin' ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
}
