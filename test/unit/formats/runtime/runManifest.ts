// Compiles, checks, plans and runs manifests for tests, with the engine of the hosts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AskPerson } from '../../../../src/actions/action.js';
import type { Call } from '../../../../src/browser/pageCalls.js';
import { checkRecipe } from '../../../../src/check/checkRecipe.js';
import { createPlan } from '../../../../src/check/createPlan.js';
import { listNodes } from '../../../../src/check/recipeNodes.js';
import { type Finding, hasErrors } from '../../../../src/document/finding.js';
import { type Document, readDocument } from '../../../../src/document/readDocument.js';
import { type EndLine, type JournalLine, openJournal } from '../../../../src/evidence/journal.js';
import { replayJournal } from '../../../../src/evidence/replayJournal.js';
import { newRunId } from '../../../../src/evidence/runIdentity.js';
import type { ProjectHandlers } from '../../../../src/formats/runtime/actions/projectHandlers.js';
import { runtimeActions } from '../../../../src/formats/runtime/actions/runtimeActions.js';
import { chooseManifest, manifestPrefix } from '../../../../src/formats/runtime/chooseManifest.js';
import { runtimeDialect } from '../../../../src/formats/runtime/compile.js';
import type { Strictness } from '../../../../src/formats/runtime/findingReport.js';
import type { CompiledRecipe, ResolveDocument } from '../../../../src/recipe/recipe.js';
import { createRegistry, type Registry } from '../../../../src/registry/registry.js';
import type { Host } from '../../../../src/run/host.js';
import { noSecrets } from '../../../../src/run/inputs/readSecrets.js';
import { resolveInputs } from '../../../../src/run/inputs/resolveInputs.js';
import type { Job } from '../../../../src/run/job.js';
import { openStateDir } from '../../../../src/run/project/stateDir.js';
import { Session } from '../../../../src/run/session.js';
import { type Clock, systemClock } from '../../../../src/system/clock.js';

type Json = Record<string, unknown>;

export type RunOptions = ProjectHandlers & {
  inputs?: Json;
  answers?: Record<string, 'pass' | 'fail'>;
  /** Other manifests, which sub-recipes find by their ids. */
  others?: readonly Json[];
  files?: Record<string, string>;
  /** The project directory. By default, a temporary one. */
  root?: string;
  nodeTimeoutMs?: number;
  clock?: Clock;
  /** Answers questions instead of `answers`. */
  ask?: AskPerson;
};

export type ManifestRun = {
  status: string;
  reason: string;
  lines: JournalLine[];
  /** The end of each node, by its run path. */
  ends: Map<string, EndLine>;
  executed: string[];
  skipped: string[];
  /** `code: message` of the first node that failed. */
  error: string;
  /** The problem that the replay of the journal finds, or undefined. */
  replayed: string | undefined;
  /** Returns the output of a node by its run path. */
  output(path: string): unknown;
};

const host: Host = {
  ...{ name: 'lab', version: '1', fixtures: {} },
  step: (_, body) => body({ attach: async () => undefined, end: () => undefined, within: (child) => child(), call: noCall }),
};

const noCall = (() => Promise.reject(new Error('Manifests in these tests do not call fixtures.'))) as Call;

/** Creates a manifest with the given nodes and edges. */
export function manifest(nodes: readonly object[], edges: readonly object[] = [], rest: Json = {}): Json {
  return {
    ...{ id: 'r', version: '1.0.0', name: 'A manifest of the tests', interface: { inputs: {}, outputs: {} } },
    ...{ state: { schema: {} }, parameters: {}, topology: { nodes, edges }, ...rest },
  };
}

export const edge = (source_node_id: string, target_node_id: string, condition?: string): object => {
  return { source_node_id, target_node_id, ...(condition === undefined ? {} : { condition }) };
};

export const logic = (id: string, code = id): object => ({ id, type: 'logic', code });
export const agent = (id: string, agent_name = id, rest: object = {}): object => ({ id, type: 'agent', agent_name, ...rest });

function documentOf(value: unknown, file = '/lab/a.runtime.json'): Document {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const { document, findings } = readDocument(file, Buffer.from(text));
  if (!document) throw new Error(findings[0]?.message);
  return document;
}

function resolverOf(others: readonly Json[]): ResolveDocument {
  return (ref) => {
    const documents = others.map((other, index) => documentOf(other, `/lab/${index}.runtime.json`));
    return chooseManifest(ref.replace(manifestPrefix, ''), documents);
  };
}

/** Compiles a manifest. A string is the content of the document, any other value is printed as JSON. */
export function compileManifest(value: unknown, { level = 'compat' as Strictness, others = [] as readonly Json[] } = {}) {
  return runtimeDialect(level).compile(documentOf(value), resolverOf(others));
}

export type Prepared = { compiled: CompiledRecipe; document: Document; registry: Registry; findings: Finding[] };

export function prepareManifest(value: unknown, { others = [], ...registered }: RunOptions = {}): Prepared {
  const document = documentOf(value);
  const { compiled, findings } = runtimeDialect('compat').compile(document, resolverOf(others));
  if (!compiled) throw new Error(findings.map(({ message }) => message).join('\n'));
  const registry = createRegistry({ custom: [...runtimeActions({ openStateDir, ...registered })] });
  const unsupported = listNodes(compiled.recipe).flatMap(({ node }): Finding[] => {
    const message = registry.get(node.action)?.describeUnsupported?.(node);
    const place = compiled.origin(node.pointer);
    return message === undefined ? [] : [{ code: 'action.not_supported', severity: 'error', path: node.pointer, place, message }];
  });
  return {
    compiled,
    document,
    registry,
    findings: [...findings, ...checkRecipe(compiled, { vocabulary: registry }), ...unsupported],
  };
}

export async function runManifest(value: unknown, options: RunOptions = {}): Promise<ManifestRun> {
  const { compiled, document, registry, findings } = prepareManifest(value, options);
  if (hasErrors(findings)) throw new Error(findings.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  const plan = createPlan(compiled, registry);
  if ('code' in plan) throw new Error(plan.message);
  const resolved = resolveInputs(compiled, { api: options.inputs ?? {} });
  if (resolved.findings.length > 0) throw new Error(resolved.findings[0]?.message);
  const root = options.root ?? mkdtempSync(join(tmpdir(), 'recipewright-'));
  for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(join(root, name), text);
  const journal: string[] = [];
  const loaded = { document, compiled, plan };
  const session = new Session({ ...jobOf(options, journal), loaded, registry, inputs: resolved.inputs, projectRoot: root });
  try {
    await session.runGraph();
    const { verdict } = await session.close();
    const lines = journal.map((line) => JSON.parse(line) as JournalLine);
    return { status: verdict.status, reason: verdict.reason, replayed: replayJournal(plan, lines), ...summarizeJournal(lines) };
  } finally {
    if (options.root === undefined) rmSync(root, { recursive: true });
  }
}

function jobOf(
  { answers, ask, nodeTimeoutMs = 30_000, clock = systemClock }: RunOptions,
  journal: string[],
): Omit<Job, 'loaded' | 'registry' | 'inputs' | 'projectRoot'> {
  return {
    ...{ id: 'a', operators: new Map(), stateRefs: new Map(), secrets: noSecrets, clock, runId: newRunId(), host },
    ...{ attempt: 0, passEnv: [], teardownMs: 1_000, allowBlocked: false, nodeTimeoutMs },
    ask:
      ask ??
      (async ({ id, path }) => {
        const answer = answers?.[path] ?? answers?.[id];
        return answer && { answer, by: 'fixture' };
      }),
    journal: openJournal(systemClock, (line) => void journal.push(line)),
  };
}

function summarizeJournal(lines: JournalLine[]): Omit<ManifestRun, 'status' | 'reason' | 'replayed'> {
  const ended = lines.filter((line): line is EndLine => line.t === 'end' && line.path !== '');
  const skips = new Set(lines.flatMap((line) => (line.t === 'begin' && line.decision?.skip !== undefined ? [line.path] : [])));
  const failed = ended.find(({ error }) => error);
  const ends = new Map(ended.map((line) => [line.path, line]));
  return {
    ...{ lines, ends, skipped: [...skips], executed: ended.map(({ path }) => path).filter((path) => !skips.has(path)) },
    error: failed?.error ? `${failed.error.code}: ${failed.error.message}` : '',
    output: (path) => (ends.get(path)?.output as { output?: unknown } | undefined)?.output,
  };
}

/** Returns the maximum number of matching nodes that ran at the same time. */
export function countMostParallel(lines: readonly JournalLine[], path: RegExp): number {
  let [runningCount, maxCount] = [0, 0];
  for (const line of lines) {
    if (!path.test(line.path)) continue;
    runningCount += line.t === 'begin' ? 1 : -1;
    maxCount = Math.max(maxCount, runningCount);
  }
  return maxCount;
}
