// Reads the cases that were recorded from the reference implementation, if the shared corpus exists.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Call, ExecRequest, ExecResult } from '../../../../src/formats/template/call.js';
import type { TemplateRun } from '../../../../src/formats/template/templateRun.js';

const folder = fileURLToPath(new URL('../../../../../shared/corpus/template/', import.meta.url));

export const corpus = {
  folder,
  packaged: join(folder, 'packaged'),
  exists: existsSync(folder),
  skipReason: 'skipped without ../shared/corpus',
};

export type Golden = { id: string; request: Record<string, unknown>; v033: Record<string, unknown> };

/** Reads one case per line. Returns an empty list without the corpus, so that the tests that need it are skipped. */
export function goldens<T = Golden>(file: string): T[] {
  if (!corpus.exists) return [];
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}

type ScriptedResult = { code?: number; stdout?: string; stderr?: string; killed?: boolean };

/** Returns an `exec` with a scripted result for each program: the same for all runs, or a list with one result per run. */
export function scriptedExec(
  script: Readonly<Record<string, ScriptedResult | ScriptedResult[]>> = {},
): (request: ExecRequest) => Promise<ExecResult> {
  const runCounts = new Map<string, number>();
  return ({ argv }) => {
    const [program] = argv;
    const runIndex = runCounts.get(program) ?? 0;
    runCounts.set(program, runIndex + 1);
    const results = script[program];
    const result = Array.isArray(results) ? (results[Math.min(runIndex, results.length - 1)] ?? {}) : (results ?? {});
    const { code = 0, stdout = `out(${argv.join(' ')})`, stderr = '', killed = false } = result;
    return Promise.resolve({ code, killed, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) });
  };
}

/** Converts a run to the form of a recorded run. */
export function toRecordedRun({ ok, text, error, details, calls }: TemplateRun, toCall: (call: Call) => object): object {
  const recordedCalls = calls.map(toCall);
  return ok ? { ok, text, details: { ...details, tool: 'oracle' }, calls: recordedCalls } : { ok, error, calls: recordedCalls };
}

/** Converts a call to the form of a recorded call, whose streams are strings. */
export function toRecordedCall({ stdin, stdout, stderr, reason: _, ...call }: Call): object {
  const streams = { stdin: stdin?.toString(), stdout: stdout?.toString(), stderr: stderr?.toString() };
  return JSON.parse(JSON.stringify({ ...call, ...streams })) as object;
}
