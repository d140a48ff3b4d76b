// The actions rw.group and rw.each, which run branches. Branches may fail as long as enough of them succeed.
import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import { type CapturedOutput, emptyOutput } from '../../system/processes/runProcess.js';
import { type BodyResult, defineAction } from '../action.js';

const branchCount = z.int().min(1);

/** Fields of all actions with branches. */
const quorumFields = {
  min_successful: branchCount.optional().describe('The number of branches that must succeed. The others may fail.'),
  reach: z
    .enum(['branch', 'root'])
    .optional()
    .describe('How far the failure of one branch would spread in an implementation without min_successful.'),
};

type Quorum = { min_successful?: number | undefined; reach?: 'branch' | 'root' | undefined };
type Branches = { body: BodyResult | undefined; total: number };
type QuorumResult = { output: { quorum?: object }; failure?: RecipeError };

/** Counts the branches with an output stream: neither a failed nor a skipped branch has one. */
function checkQuorum({ min_successful: needed, reach }: Quorum, { body, total }: Branches): QuorumResult {
  if (needed === undefined) return { output: {} };
  const done = body?.streams.size ?? 0;
  const output = { quorum: { needed, done, of: total, ...(reach ? { reach } : {}) } };
  if (done >= needed) return { output };
  const message = `Only ${done} of ${total} branches succeeded, but ${needed} must.`;
  return { output, failure: new RecipeError('group.too_few', 'action', message) };
}

// A group pipes the output of its last child into the next node. With `join`, it pipes the output of all branches, each after a
// header line.

/** `streams`: of the successful branches. `outputs`, `items`: of all branches that ran. */
type BranchResults = {
  streams: ReadonlyMap<string | number, CapturedOutput>;
  outputs: ReadonlyMap<string, unknown>;
  items: readonly unknown[];
};

type PipedBranches = {
  body: BranchResults | undefined;
  /** In order: the ids of the nodes, or the item numbers of `rw.each`. */
  children: readonly (string | number)[];
  /** The names of the branches for their header lines. A single name applies to all of them. */
  join?: readonly string[] | undefined;
  stdin?: CapturedOutput | undefined;
};

function pipeOutput({ body, children, join = [], stdin }: PipedBranches): {
  stdout: CapturedOutput;
  stderr: CapturedOutput;
} {
  const stdout =
    join.length > 0 ? joinOutputs({ body, children, join }) : (findLastOutput({ body, children }) ?? stdin ?? emptyOutput());
  return { stdout, stderr: emptyOutput() };
}

// A skipped node passes on its input, so the search goes on to the node before it. A failed node passes on nothing.
function findLastOutput({ body, children }: PipedBranches): CapturedOutput | undefined {
  for (const child of [...children].reverse()) {
    const stream = body?.streams.get(child);
    if (stream) return stream;
    if (readBranchOutput(body, child) !== undefined) return emptyOutput();
  }
  return undefined;
}

function joinOutputs({ body, children, join = [] }: PipedBranches): CapturedOutput {
  const parts = children.flatMap((child, index) => {
    const stream = body?.streams.get(child);
    const failedOutput = stream ? undefined : readBranchOutput(body, child);
    const label = join.length > 1 || join[0] !== 'branch' ? (join[index] ?? join[0]) : `branch ${index + 1}`;
    const header = `${index === 0 ? '' : '\n'}--- branch: ${label} status: ${failedOutput === undefined ? 'done' : 'failed'} ---\n`;
    return [Buffer.from(header), stream?.bytes ?? Buffer.from(failedOutput === undefined ? '' : describeFailure(failedOutput))];
  });
  const bytes = Buffer.concat(parts);
  const wasTruncated = children.some((child) => body?.streams.get(child)?.wasTruncated === true);
  return { bytes, size: bytes.length, wasTruncated };
}

function readBranchOutput(body: PipedBranches['body'], child: string | number): unknown {
  return typeof child === 'number' ? (body?.items[child] ?? undefined) : body?.outputs.get(child);
}

function describeFailure(output: unknown): string {
  const { exitCode, stderr } = output as { exitCode?: unknown; stderr?: unknown };
  const text = typeof stderr === 'string' && stderr !== '' ? `\nstderr: ${stderr.slice(0, 1000)}` : '';
  return `exit: ${typeof exitCode === 'number' ? exitCode : 1}${text}`;
}

const groupLimit = z.int().min(1);

export const group = defineAction({
  name: 'rw.group',
  description: 'Runs the nodes of its body in parallel, or one after the other with the output of each piped into the next.',
  schema: z.strictObject({
    order: z.enum(['together', 'in_turn']),
    pipe: z.boolean().optional(),
    limit: groupLimit.optional(),
    ...quorumFields,
    join: z.array(z.string()).optional().describe('The names of the branches, for the header lines of their joined output.'),
  }),
  examples: [
    { description: 'Run nodes as a pipe.', node: { action: 'rw.group', order: 'in_turn', pipe: true, body: { nodes: {} } } },
  ],
  effect: 'none',
  fallible: ({ min_successful }) => min_successful !== undefined,
  planRegion: ({ body, fields }) =>
    body && {
      kind: 'all',
      nodes: body.nodes,
      inTurn: fields.order === 'in_turn',
      pipe: fields.pipe === true,
      limit: groupLimit.catch(Number.POSITIVE_INFINITY).parse(fields.limit),
    },
  run({ pipe, join, ...quorum }, { body, node, stdin }) {
    const { output, ...quorumResult } = checkQuorum(quorum, { body, total: node.body?.nodes.size ?? 0 });
    return {
      output: { status: body?.status, outputs: Object.fromEntries(body?.outputs ?? []), ...output },
      ...quorumResult,
      ...(pipe ? { streams: pipeOutput({ body, children: [...(node.body?.nodes.keys() ?? [])], join, stdin }) } : {}),
    };
  },
});

const eachLimit = z.int().min(1);

export const each = defineAction({
  name: 'rw.each',
  description:
    'Runs the node of its body for each item of a list, at most `limit` at a time. The results have the order of the items.',
  schema: z.strictObject({
    items: z.array(z.unknown()),
    limit: eachLimit.optional(),
    ...quorumFields,
    join: z.array(z.string()).optional().describe('The name of the branches, for the header lines of their joined output.'),
  }),
  examples: [
    {
      description: 'Run two items at a time.',
      node: { action: 'rw.each', items: ['a', 'b', 'c'], limit: 2, body: { nodes: {} } },
    },
  ],
  effect: 'none',
  fallible: ({ min_successful }) => min_successful !== undefined,
  planRegion({ body, fields }) {
    const [child] = body?.nodes.values() ?? [];
    return child && { kind: 'each', child, limit: eachLimit.catch(Number.POSITIVE_INFINITY).parse(fields.limit) };
  },
  run({ join, ...quorum }, { body, stdin }) {
    const { output, ...quorumResult } = checkQuorum(quorum, { body, total: body?.items.length ?? 0 });
    return {
      output: { status: body?.status, items: body?.items, ...output },
      ...quorumResult,
      ...(join ? { streams: pipeOutput({ body, children: [...(body?.items.keys() ?? [])], join, stdin }) } : {}),
    };
  },
});
