// Runs a recipe object with the plain host in a temporary directory, and reads its package.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readJournal } from '../../src/evidence/journal.js';
import type { TraceEntry } from '../../src/evidence/trace.js';
import type { Summary } from '../../src/evidence/writePackage.js';
import { runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { systemClock } from '../../src/system/clock.js';

export type Nodes = Record<string, Record<string, unknown>>;

/**
 * Creates a Recipe v1 document. The first node is the entry, intents are added, and the node `done` ends the recipe with pass.
 */
export function recipeOf(nodes: Nodes, rest: { workflow?: object; [key: string]: unknown } = {}): Record<string, unknown> {
  const { workflow, ...top } = rest;
  const [entry] = Object.keys(nodes);
  return {
    schema_version: 1,
    ...top,
    validate: { workflow: { entry, nodes: { ...withIntents(nodes), done: { action: 'end', status: 'pass' } }, ...workflow } },
  };
}

export function withIntents(nodes: Nodes): Nodes {
  return Object.fromEntries(
    Object.entries(nodes).map(([id, node]) => [
      id,
      node.action === 'end' ? node : { intent: `Do what ${id} is there for`, ...node },
    ]),
  );
}

export type PlainRun = { summary: Summary; trace: readonly TraceEntry[]; ids: string[]; read(file: string): string | undefined };

export async function runPlain(recipe: unknown, files: Record<string, string> = {}, clock = systemClock): Promise<PlainRun> {
  const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  try {
    for (const [name, text] of Object.entries({ ...files, 'a.recipe.json': JSON.stringify(recipe) })) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    const result = await runRecipe(join(root, 'a.recipe.json'), { artifactsDir: join(root, 'out'), projectRoot: root, clock });
    if (!result.ran) throw new Error(result.findings.map(({ code, message }) => `${code}: ${message}`).join('\n'));
    const { problem } = readJournal(readFileSync(join(root, 'out/journal.jsonl'), 'utf8').trimEnd().split('\n'));
    if (problem !== undefined) throw new Error(problem);
    const contents = new Map(
      ['left', 'leaked', 'log'].flatMap((name) =>
        existsSync(join(root, name)) ? [[name, readFileSync(join(root, name), 'utf8')]] : [],
      ),
    );
    const { summary, trace } = result;
    return { summary, trace, ids: trace.map((entry) => entry.nodeId), read: (name) => contents.get(name) };
  } finally {
    rmSync(root, { recursive: true });
  }
}
