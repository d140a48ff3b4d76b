// What a group hands on to the step after it: the output of its last step, or that of all its branches with a line before each.
import type { CapturedOutput } from '../../system/processes/runProcess.js';
import { emptyOutput } from '../../system/processes/runProcess.js';

/** What came of the region: what its nodes wrote, and what they gave, failures included. */
type Body = {
  streams: ReadonlyMap<string | number, CapturedOutput>;
  outputs: ReadonlyMap<string, unknown>;
  items: readonly unknown[];
};

export type HandedOn = {
  body: Body | undefined;
  /** The children in order: ids, or numbers for the rounds of an each. */
  children: readonly (string | number)[];
  /** Names of branches; a single one stands for all. Without any, the last child speaks for the group. */
  join?: readonly string[] | undefined;
  stdin?: CapturedOutput | undefined;
};

export function handedOn({ body, children, join = [], stdin }: HandedOn): { stdout: CapturedOutput; stderr: CapturedOutput } {
  const stdout = join.length > 0 ? joined({ body, children, join }) : (lastOf({ body, children }) ?? stdin ?? emptyOutput());
  return { stdout, stderr: emptyOutput() };
}

// A step that was skipped hands on what it was given; one that failed hands on nothing.
function lastOf({ body, children }: HandedOn): CapturedOutput | undefined {
  for (const child of [...children].reverse()) {
    const stream = body?.streams.get(child);
    if (stream) return stream;
    if (outputOf(body, child) !== undefined) return emptyOutput();
  }
  return undefined;
}

function joined({ body, children, join = [] }: HandedOn): CapturedOutput {
  const parts = children.flatMap((child, index) => {
    const stream = body?.streams.get(child);
    const failed = stream ? undefined : outputOf(body, child);
    const label = join.length > 1 || join[0] !== 'branch' ? (join[index] ?? join[0]) : `branch ${index + 1}`;
    const header = `${index === 0 ? '' : '\n'}--- branch: ${label} status: ${failed === undefined ? 'done' : 'failed'} ---\n`;
    return [Buffer.from(header), stream?.bytes ?? Buffer.from(failed === undefined ? '' : said(failed))];
  });
  const bytes = Buffer.concat(parts);
  const isCut = children.some((child) => body?.streams.get(child)?.wasTruncated === true);
  return { bytes, size: bytes.length, wasTruncated: isCut };
}

function outputOf(body: HandedOn['body'], child: string | number): unknown {
  return typeof child === 'number' ? (body?.items[child] ?? undefined) : body?.outputs.get(child);
}

function said(output: unknown): string {
  const { exitCode, stderr } = output as { exitCode?: unknown; stderr?: unknown };
  const text = typeof stderr === 'string' && stderr !== '' ? `\nstderr: ${stderr.slice(0, 1000)}` : '';
  return `exit: ${typeof exitCode === 'number' ? exitCode : 1}${text}`;
}
