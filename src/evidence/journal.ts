// The journal: one line before and one after each node, chained by hash. It is also the wire format from a worker to a reporter.
import { z } from 'zod';
import type { Clock } from '../system/clock.js';
import { sha256 } from '../system/files.js';

const cause = z.enum(['subject', 'environment', 'harness', 'unknown']);
const status = z.enum(['pass', 'fail', 'unknown']);
const inputOrigin = z.enum(['recipe', 'config', 'env', 'cli']);
const common = {
  v: z.literal(1),
  seq: z.int(),
  at: z.string().describe('Wall time, a label only; the order is seq.'),
  prev: z.string().describe('SHA-256 of the line before; empty on the first.'),
  path: z.string().describe('Run path; empty for the run itself.'),
  visit: z.int(),
  attempt: z.int(),
};

export const assertModel = z.looseObject({
  operator: z.string(),
  path: z.string(),
  source: z.string().optional(),
  expected: z.unknown().optional(),
  actual: z.unknown().optional(),
  missing: z.literal(true).optional(),
  held: z.boolean(),
  proofTarget: z.string().optional(),
});

export const artifactModel = z.object({
  path: z.string(),
  type: z.string(),
  category: z.string().optional(),
  label: z.string().optional(),
  nodeId: z.string().optional(),
  proofTarget: z.string().optional(),
  mimeType: z.string().optional(),
  sha256: z.string(),
  size: z.int(),
});

const runLine = z.object({
  ...common,
  t: z.literal('run'),
  run: z.string().describe('The id of this run; no other run has it.'),
  recipe: z.object({ id: z.string(), digest: z.string(), title: z.string().optional() }),
  tool: z.object({ name: z.string(), version: z.string() }),
  host: z.object({ name: z.string(), version: z.string() }),
  inputs: z.record(z.string(), z.object({ value: z.unknown(), origin: inputOrigin })),
  targets: z.array(z.object({ id: z.string(), claim: z.string(), visible: z.boolean(), blocked: z.string().optional() })),
});

const beginLine = z.object({
  ...common,
  t: z.literal('begin'),
  action: z.string(),
  intent: z.string().optional(),
  phase: z.string().optional(),
  record: z.string().optional(),
  proofTarget: z.string().optional(),
  fallible: z.literal(true).optional().describe('This node could have failed.'),
  decision: z.object({ skip: z.string().optional(), items: z.int().optional(), refused: z.literal(true).optional() }).optional(),
});

const endLine = z.object({
  ...common,
  t: z.literal('end'),
  ms: z.number(),
  ok: z.boolean(),
  tolerated: z.literal(true).optional(),
  final: z.literal(true).optional().describe('Stopped from outside: neither tried again nor tolerated.'),
  retried: z.literal(true).optional().describe('Failed, and another attempt follows.'),
  status: status.optional().describe('Of the run, or of a terminal node.'),
  next: z.string().optional(),
  decision: z.object({ case: z.string().optional(), fired: z.array(z.int()).optional() }).optional(),
  asserts: z.array(assertModel).optional(),
  output: z.unknown().optional(),
  artifacts: z.array(artifactModel).optional(),
  error: z.object({ code: z.string(), message: z.string(), cause_class: cause }).optional(),
  signal: z.string().optional(),
});

export const lineModel = z.discriminatedUnion('t', [runLine, beginLine, endLine]);

export type InputOrigin = z.infer<typeof inputOrigin>;
export type RunLine = z.infer<typeof runLine>;
export type BeginLine = z.infer<typeof beginLine>;
export type EndLine = z.infer<typeof endLine>;
export type JournalLine = RunLine | BeginLine | EndLine;
export type Assert = z.infer<typeof assertModel>;
export type Artifact = z.infer<typeof artifactModel>;

type Given<L> = Omit<L, 'v' | 'seq' | 'at' | 'prev'>;
export type Entry = Given<RunLine> | Given<BeginLine> | Given<EndLine>;

export type Journal = {
  write(entry: Entry): string;
  readonly lines: readonly string[];
  readonly entries: readonly JournalLine[];
};

/** `append` must have the line safe before it returns. */
export function openJournal(clock: Clock, append: (line: string) => void): Journal {
  const lines: string[] = [];
  const entries: JournalLine[] = [];
  let prev = '';
  return {
    lines,
    entries,
    write(given) {
      const entry = { v: 1, seq: lines.length, ...given, at: clock.wall(), prev } as JournalLine;
      const line = JSON.stringify(entry);
      append(line);
      lines.push(line);
      entries.push(entry);
      prev = sha256(line);
      return line;
    },
  };
}

export type ReadJournal = { lines: JournalLine[]; problem?: string };

/** Reads as far as the chain holds and says where it breaks. A torn last line is what a killed process leaves. */
export function readJournal(texts: readonly string[]): ReadJournal {
  const lines: JournalLine[] = [];
  let prev = '';
  for (const [seq, text] of texts.entries()) {
    const line = parseLine(text);
    if (!line) return { lines, problem: `journal line ${seq + 1} is not a journal line` };
    if (line.seq !== seq || line.prev !== prev)
      return { lines, problem: `journal line ${seq + 1} does not follow the one before it` };
    lines.push(line);
    prev = sha256(text);
  }
  return { lines };
}

function parseLine(text: string): JournalLine | undefined {
  try {
    return lineModel.safeParse(JSON.parse(text)).data;
  } catch {
    // SyntaxError: the line was cut.
    return undefined;
  }
}
