// Starts one command and keeps what came of it.
import { inspect } from 'node:util';
import type { ResolvedNode } from '../resolveNode.js';
import { TemplateError } from '../templateError.js';
import type { Call, Execution } from './execution.js';
import type { Outcome } from './outcome.js';
import { printCommand } from './printCommand.js';

export async function executeLeaf(
  run: Execution,
  { argv, timeoutMs, retry }: Extract<ResolvedNode, { kind: 'leaf' }>,
  { stdin, signal }: { stdin?: Buffer | undefined; signal: AbortSignal },
): Promise<Outcome> {
  const call: Call = { argv };
  if (stdin !== undefined) call.stdin = stdin;
  if (timeoutMs !== undefined) call.timeout = timeoutMs;
  if (retry !== undefined) call.retry = retry;
  run.calls.push(call);
  refuseWords(argv);
  const { reason, ...ended } = await run.exec({ argv, stdin, timeoutMs, retry, signal });
  Object.assign(call, ended, reason === undefined ? {} : { reason });
  const commands = [printCommand(argv)];
  return { ...ended, commands, failures: [], branches: [], unforgiven: ended.code === 0 ? [] : [call] };
}

// In the words of Node, which is what the reference lets through; asked here, so that no process wrapper has to.
function refuseWords([program, ...args]: readonly string[]): void {
  if (program === '') throw new TemplateError('template.empty_command', "The argument 'file' cannot be empty. Received ''");
  const named: readonly (readonly [string, string | undefined])[] = [
    ['file', program],
    ...args.map((word, index) => [`args[${index}]`, word] as const),
  ];
  for (const [name, word] of named) {
    if (!word?.includes('\0')) continue;
    const message = `The argument '${name}' must be a string without null bytes. Received ${inspect(word)}`;
    throw new TemplateError('template.null_byte', message);
  }
}
