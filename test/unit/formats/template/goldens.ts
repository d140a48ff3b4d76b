// Cases that were recorded from the reference implementation, read from the shared corpus when it is there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Call, ExecRequest, ExecResult } from '../../../../src/formats/template/call.js';
import type { TemplateRun } from '../../../../src/formats/template/templateRun.js';

const folder = fileURLToPath(new URL('../../../../../shared/corpus/template/', import.meta.url));

export const corpus = {
  folder,
  packaged: join(folder, 'packaged'),
  isThere: existsSync(folder),
  why: 'the shared corpus is not here',
};

export type Golden = { id: string; request: Record<string, unknown>; v033: Record<string, unknown> };

/** One case per line. None without the corpus, so that the tests that use it are skipped. */
export function goldens<T = Golden>(file: string): T[] {
  if (!corpus.isThere) return [];
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}

type Scripted = { code?: number; stdout?: string; stderr?: string; killed?: boolean };

/** Plays a program by its name: one answer for all its runs, or one after the other. */
export function rehearsal(
  script: Readonly<Record<string, Scripted | Scripted[]>> = {},
): (request: ExecRequest) => Promise<ExecResult> {
  const runs = new Map<string, number>();
  return ({ argv }) => {
    const [program] = argv;
    const turn = runs.get(program) ?? 0;
    runs.set(program, turn + 1);
    const played = script[program];
    const said = Array.isArray(played) ? (played[Math.min(turn, played.length - 1)] ?? {}) : (played ?? {});
    const { code = 0, stdout = `out(${argv.join(' ')})`, stderr = '', killed = false } = said;
    return Promise.resolve({ code, killed, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) });
  };
}

/** What a recording has of a run. */
export function plain({ ok, text, error, details, calls }: TemplateRun, show: (call: Call) => object): object {
  const seen = calls.map(show);
  return ok ? { ok, text, details: { ...details, tool: 'oracle' }, calls: seen } : { ok, error, calls: seen };
}

/** A call with its streams as the texts that a recording has. */
export function inTexts({ stdin, stdout, stderr, reason: _, ...call }: Call): object {
  const streams = { stdin: stdin?.toString(), stdout: stdout?.toString(), stderr: stderr?.toString() };
  return JSON.parse(JSON.stringify({ ...call, ...streams })) as object;
}
