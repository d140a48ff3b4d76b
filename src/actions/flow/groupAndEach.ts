// Branches that may fail, as long as enough of them do not.
import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import { type CapturedOutput, emptyOutput } from '../../system/processes/runProcess.js';
import { type BodyResult, defineAction } from '../action.js';

const branchCount = z.int().min(1);

/** Fields of whoever has branches. */
const quorumFields = {
  min_successful: branchCount.optional().describe('How many of its branches must succeed; the others may fail.'),
  reach: z
    .enum(['branch', 'root'])
    .optional()
    .describe('How far the failure of one branch goes by the rules of a reference that does not count them.'),
};

type Quorum = { min_successful?: number | undefined; reach?: 'branch' | 'root' | undefined };
type Branches = { body: BodyResult | undefined; of: number };
type QuorumResult = { output: { quorum?: object }; failure?: RecipeError };

/** Only what ran and ended well hands something on: neither what failed nor what was skipped is a success. */
function countBranches({ min_successful: needed, reach }: Quorum, { body, of }: Branches): QuorumResult {
  if (needed === undefined) return { output: {} };
  const done = body?.streams.size ?? 0;
  const output = { quorum: { needed, done, of, ...(reach ? { reach } : {}) } };
  if (done >= needed) return { output };
  const message = `${done} of ${of} branches succeeded, ${needed} are needed.`;
  return { output, failure: new RecipeError('group.too_few', 'action', message) };
}

// What a group hands on to the step after it: the output of its last step, or that of all its branches with a line before each.

/** What came of the region: what its nodes wrote, and what they gave, failures included. */
type BranchResults = {
  streams: ReadonlyMap<string | number, CapturedOutput>;
  outputs: ReadonlyMap<string, unknown>;
  items: readonly unknown[];
};

type PipedBranches = {
  body: BranchResults | undefined;
  /** The children in order: ids, or numbers for the rounds of an each. */
  children: readonly (string | number)[];
  /** Names of branches; a single one stands for all. Without any, the last child speaks for the group. */
  join?: readonly string[] | undefined;
  stdin?: CapturedOutput | undefined;
};

function pipedOutput({ body, children, join = [], stdin }: PipedBranches): {
  stdout: CapturedOutput;
  stderr: CapturedOutput;
} {
  const stdout =
    join.length > 0 ? joinOutputs({ body, children, join }) : (lastOutput({ body, children }) ?? stdin ?? emptyOutput());
  return { stdout, stderr: emptyOutput() };
}

// A step that was skipped hands on what it was given; one that failed hands on nothing.
function lastOutput({ body, children }: PipedBranches): CapturedOutput | undefined {
  for (const child of [...children].reverse()) {
    const stream = body?.streams.get(child);
    if (stream) return stream;
    if (branchOutput(body, child) !== undefined) return emptyOutput();
  }
  return undefined;
}

function joinOutputs({ body, children, join = [] }: PipedBranches): CapturedOutput {
  const parts = children.flatMap((child, index) => {
    const stream = body?.streams.get(child);
    const failed = stream ? undefined : branchOutput(body, child);
    const label = join.length > 1 || join[0] !== 'branch' ? (join[index] ?? join[0]) : `branch ${index + 1}`;
    const header = `${index === 0 ? '' : '\n'}--- branch: ${label} status: ${failed === undefined ? 'done' : 'failed'} ---\n`;
    return [Buffer.from(header), stream?.bytes ?? Buffer.from(failed === undefined ? '' : describeFailure(failed))];
  });
  const bytes = Buffer.concat(parts);
  const isCut = children.some((child) => body?.streams.get(child)?.wasTruncated === true);
  return { bytes, size: bytes.length, wasTruncated: isCut };
}

function branchOutput(body: PipedBranches['body'], child: string | number): unknown {
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
  description: 'Runs the nodes of its body side by side, or in turn with the output of each piped into the next.',
  schema: z.strictObject({
    order: z.enum(['together', 'in_turn']),
    pipe: z.boolean().optional(),
    limit: groupLimit.optional(),
    ...quorumFields,
    join: z.array(z.string()).optional().describe('Names of its branches, for what they hand on together.'),
  }),
  examples: [{ description: 'A pipe.', node: { action: 'rw.group', order: 'in_turn', pipe: true, body: { nodes: {} } } }],
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
  run({ pipe, join, ...wanted }, { body, node, stdin }) {
    const { output, ...counted } = countBranches(wanted, { body, of: node.body?.nodes.size ?? 0 });
    return {
      output: { status: body?.status, outputs: Object.fromEntries(body?.outputs ?? []), ...output },
      ...counted,
      ...(pipe ? { streams: pipedOutput({ body, children: [...(node.body?.nodes.keys() ?? [])], join, stdin }) } : {}),
    };
  },
});

const eachLimit = z.int().min(1);

export const each = defineAction({
  name: 'rw.each',
  description:
    'Runs the one node of its body for every item of a list, at most `limit` at a time; results keep the order of the items.',
  schema: z.strictObject({
    items: z.array(z.unknown()),
    limit: eachLimit.optional(),
    ...quorumFields,
    join: z.array(z.string()).optional().describe('The name of its branches, for what they hand on together.'),
  }),
  examples: [
    { description: 'Two at a time.', node: { action: 'rw.each', items: ['a', 'b', 'c'], limit: 2, body: { nodes: {} } } },
  ],
  effect: 'none',
  fallible: ({ min_successful }) => min_successful !== undefined,
  planRegion({ body, fields }) {
    const [child] = body?.nodes.values() ?? [];
    return child && { kind: 'each', child, limit: eachLimit.catch(Number.POSITIVE_INFINITY).parse(fields.limit) };
  },
  run({ join, ...wanted }, { body, stdin }) {
    const { output, ...counted } = countBranches(wanted, { body, of: body?.items.length ?? 0 });
    return {
      output: { status: body?.status, items: body?.items, ...output },
      ...counted,
      ...(join ? { streams: pipedOutput({ body, children: [...(body?.items.keys() ?? [])], join, stdin }) } : {}),
    };
  },
});
