import * as z from 'zod';
import { withoutAttempt } from '../../engine/runPath.js';
import { RecipeError } from '../../evidence/recipeError.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { findListener, type ReservedPort, reservePort } from '../../system/ports.js';
import { buildChildEnv, outputLimitBytes } from '../../system/processes/runProcess.js';
import { type ActionContext, type ActionResult, defineAction } from '../action.js';
import { commandStopMs, limitOutput, resolveCwd } from '../runCommand.js';
import { type Readiness, waitUntilReady } from './readiness.js';
import type { Service } from './service.js';
import { serviceName } from './serviceName.js';

const shellText = z.string().regex(/\S/, 'must not be empty').optional();

const schema = z.strictObject({
  name: serviceName.describe('Unique among the running services.'),
  cmd: shellText.describe('A shell command.'),
  command: shellText.describe('The same as cmd.'),
  argv: z
    .tuple([z.string().min(1)], z.string())
    .optional()
    .describe('A program and its arguments, run without a shell.'),
  cwd: z.string().optional().describe('The working directory, relative to the project root.'),
  env: z.record(z.string(), z.string()).optional(),
  port: z
    .union([z.literal('auto'), z.int().min(1).max(65_535)])
    .optional()
    .describe('auto: a free port. The service gets the port as an environment variable.'),
  port_env: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable')
    .default('PORT')
    .describe('The environment variable with the port.'),
  ready: z
    .union([
      z.strictObject({ port: z.literal(true) }),
      z.strictObject({ url: z.string().regex(/^\/(?!\/)/, 'must be a path of the service, such as "/health"') }),
      z.strictObject({ log: z.string().min(1) }),
    ])
    .optional()
    .describe(
      'port: the port accepts connections. url: the path responds with a status below 500. log: the output contains the text.',
    ),
});

type Fields = z.output<typeof schema>;

export const serviceStart = defineAction({
  name: 'service.start',
  description:
    'Starts a process that continues to run after the node, and waits until the process is ready. The process ends with the run at the latest.',
  schema,
  examples: [
    {
      description: 'A server that listens on the free port in PORT.',
      node: { action: 'service.start', name: 'shop', argv: ['node', 'server.mjs'], port: 'auto', ready: { url: '/health' } },
    },
    {
      description: 'A worker that is ready when its output contains a text.',
      node: { action: 'service.start', name: 'worker', cmd: 'npm run worker', ready: { log: 'waiting for jobs' } },
    },
  ],
  effect: 'user',
  bypassesPage: true,
  fallible: () => true,
  secretFields: ['env'],
  textFields: ['argv', 'env'],
  shellFields: ['cmd', 'command'],
  stopMs: commandStopMs,
  describeMissing,
  run: start,
});

function describeMissing({ fields: { cmd, command, argv, ready, port } }: RecipeNode): string | undefined {
  const count = [cmd, command, argv].filter((field) => field !== undefined).length;
  if (count !== 1) return count === 0 ? '"cmd" or "argv"' : 'only one of "cmd", "command" and "argv"';
  const needsPort = typeof ready === 'object' && ready !== null && !('log' in ready);
  return needsPort && port === undefined ? 'a "port", because "ready" waits for the port or a URL' : undefined;
}

async function start(fields: Fields, context: ActionContext): Promise<ActionResult> {
  const { name } = fields;
  await replaceEarlierAttempt(name, context);
  const cwd = resolveCwd(fields, context);
  const reserved = fields.port === 'auto' ? await reservePort() : undefined;
  const port = reserved?.port ?? (fields.port === 'auto' ? undefined : fields.port);
  if (!reserved && port !== undefined) await refuseTakenPort(port, name);
  const service = openService(fields, context, { cwd, port, reserved });
  const readiness: Readiness | undefined = fields.ready ?? (port === undefined ? undefined : { port: true });
  const problem = await waitUntilReady(service, readiness, context);
  if (problem !== undefined) return failStart(service, problem, context);
  service.isReady = true;
  const { pid, url = port === undefined ? undefined : `http://127.0.0.1:${port}` } = service;
  service.url = url;
  return { output: { name, pid, ...(port === undefined ? {} : { port }), ...(url === undefined ? {} : { url }) } };
}

type Place = { cwd: string; port: number | undefined; reserved: ReservedPort | undefined };

// Not async, so that two nodes cannot start a service with the same name at the same time.
function openService(fields: Fields, context: ActionContext, { cwd, port, reserved }: Place): Service {
  const { name, argv, cmd, command = '', env, port_env: portVariable } = fields;
  const earlier = context.services.find(name);
  if (earlier && !earlier.result) {
    reserved?.release();
    const message = `The service ${JSON.stringify(name)} of the node ${earlier.path} is still running. Stop it with service.stop, or choose another "name".`;
    throw new RecipeError('service.name_taken', 'action', message);
  }
  return context.services.start({
    name,
    path: withoutAttempt(context.path),
    command: argv ?? cmd ?? command,
    cwd,
    env: {
      ...buildChildEnv({ passEnv: context.passEnv, declared: env }),
      ...(port === undefined ? {} : { [portVariable]: String(port) }),
    },
    tag: `${context.runId}/${context.path}`,
    openMasker: context.openMasker,
    output: context.output && limitOutput(outputLimitBytes, context.output),
    port,
    releasePort: reserved?.release,
  });
}

/** Stops the service that an earlier attempt of this node has started. */
async function replaceEarlierAttempt(name: string, { services, path }: ActionContext): Promise<void> {
  const earlier = services.find(name);
  if (earlier && !earlier.result && earlier.path === withoutAttempt(path)) await earlier.stop();
}

async function refuseTakenPort(port: number, name: string): Promise<void> {
  if ((await findListener(port)) === undefined) return;
  const message = `Port ${port} of the service ${JSON.stringify(name)} is in use by another process. End that process, or set "port" to "auto".`;
  throw new RecipeError('service.port_taken', 'environment', message);
}

async function failStart(service: Service, problem: string, { services }: ActionContext): Promise<ActionResult> {
  const { spawnError } = await service.stop();
  services.remove(service);
  const { lastLines } = service;
  const message = `The service ${JSON.stringify(service.name)} is not ready: ${problem}.${lastLines === '' ? ' The service wrote no output.' : `\n${lastLines}`}`;
  const failure =
    spawnError === undefined
      ? new RecipeError('service.not_ready', 'action', message)
      : new RecipeError('service.not_started', 'environment', message);
  return { artifacts: service.captures, failure };
}
