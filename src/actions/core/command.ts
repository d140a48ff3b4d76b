import { z } from 'zod';
import { RecipeError } from '../../evidence/failure.js';
import { insideOf } from '../../system/files.js';
import { type ProcessResult, runProcess } from '../../system/spawn.js';
import { type ActionContext, defineAction } from '../action.js';

const schema = z.strictObject({
  cmd: z.string().regex(/\S/, 'must not be empty').optional().describe('Shell text.'),
  argv: z
    .tuple([z.string().min(1)], z.string())
    .optional()
    .describe('A program and its arguments, run without a shell.'),
  cwd: z.string().optional().describe('Relative to the project.'),
  env: z.record(z.string(), z.string()).optional(),
  stdin: z.string().optional(),
  allow_failure: z.boolean().optional(),
  effect: z.enum(['user', 'reads']).optional().describe('reads: it changes nothing, so it may serve a claim about the UI.'),
});

type Fields = z.output<typeof schema>;

export const command = defineAction({
  name: 'command',
  description: 'Runs a command in the project and records its exit code and output.',
  schema,
  lacks: ({ fields: { cmd, argv } }) => {
    if (cmd !== undefined && argv !== undefined) return 'one of "cmd" and "argv", not both';
    return cmd === undefined && argv === undefined ? '"cmd" or "argv"' : undefined;
  },
  examples: [
    { description: 'A shell command.', node: { action: 'command', cmd: 'npm test -- api-smoke', timeout_ms: 120000 } },
    {
      description: 'A program with arguments, no shell.',
      node: { action: 'command', argv: ['node', 'price.mjs', '{{params.sku}}'] },
    },
  ],
  effect: ({ fields }) => (fields.effect === 'reads' ? 'reads' : 'user'),
  fallible: (fields) => fields.allow_failure !== true,
  secretFields: ['env', 'stdin'],
  shellFields: ['cmd'],
  async run(fields, context) {
    const result = await runProcess({
      command: fields.argv ?? fields.cmd ?? '',
      cwd: directoryOf(fields, context),
      env: { ...inheritedEnv(), ...fields.env },
      stdin: fields.stdin === undefined ? context.stdin?.bytes : Buffer.from(fields.stdin),
      signal: context.signal,
    });
    const { stdout, stderr } = result;
    const output = {
      exitCode: result.exitCode,
      ...(result.signal === null ? {} : { signal: result.signal }),
      stdout: stdout.bytes.toString(),
      stderr: stderr.bytes.toString(),
      ...(stdout.wasTruncated || stderr.wasTruncated ? { wasTruncated: true } : {}),
    };
    const failure = failureOf(result, fields);
    return { output, streams: { stdout, stderr }, ...(failure ? { failure } : {}) };
  },
});

function directoryOf({ cwd }: Fields, { projectRoot }: ActionContext): string {
  const dir = cwd === undefined ? projectRoot : insideOf(projectRoot, cwd);
  if (dir === undefined)
    throw new RecipeError('command.outside_project', 'action', `The directory ${JSON.stringify(cwd)} is outside of the project.`);
  return dir;
}

const inherited = ['PATH', 'HOME', 'LANG', 'TZ', 'CI', 'SystemRoot', 'PATHEXT'];

function inheritedEnv(): Record<string, string> {
  return Object.fromEntries(inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}

// A process that was signalled never passes, whatever the author tolerates.
function failureOf({ exitCode, signal, spawnError, stderr }: ProcessResult, fields: Fields): RecipeError | undefined {
  const name = fields.cmd ?? fields.argv?.join(' ') ?? '';
  if (spawnError !== undefined)
    return new RecipeError('command.not_started', 'environment', `The command could not be started: ${spawnError}`);
  if (signal !== null) return new RecipeError('command.signalled', 'action', `Command was ended by ${signal}: ${name}`);
  if (exitCode === 0 || fields.allow_failure === true) return undefined;
  const tail = stderr.bytes.toString().trimEnd().slice(-2_000);
  return new RecipeError('command.failed', 'action', `Command exited with ${exitCode}: ${name}${tail ? `\n${tail}` : ''}`);
}
