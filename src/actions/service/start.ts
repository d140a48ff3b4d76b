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
  name: serviceName.describe('One running service has it.'),
  cmd: shellText.describe('Shell text.'),
  command: shellText.describe('The same as cmd.'),
  argv: z
    .tuple([z.string().min(1)], z.string())
    .optional()
    .describe('A program and its arguments, run without a shell.'),
  cwd: z.string().optional().describe('Relative to the project.'),
  env: z.record(z.string(), z.string()).optional(),
  port: z
    .union([z.literal('auto'), z.int().min(1).max(65_535)])
    .optional()
    .describe('auto: a free one. The service gets it in the environment.'),
  port_env: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable')
    .default('PORT')
    .describe('The variable that holds the port.'),
  ready: z
    .union([
      z.strictObject({ port: z.literal(true) }),
      z.strictObject({ url: z.string().regex(/^\/(?!\/)/, 'must be a path of the service, such as "/health"') }),
      z.strictObject({ log: z.string().min(1) }),
    ])
    .optional()
    .describe('The port accepts connections, a path answers with a status below 500, or the output contains a text.'),
});

type Fields = z.output<typeof schema>;

export const serviceStart = defineAction({
  name: 'service.start',
  description: 'Starts a process that goes on after the node, and waits until it is ready. It ends with the run at the latest.',
  schema,
  examples: [
    {
      description: 'A server on a free port, which it finds in PORT.',
      node: { action: 'service.start', name: 'shop', argv: ['node', 'server.mjs'], port: 'auto', ready: { url: '/health' } },
    },
    {
      description: 'A worker that says when it is ready.',
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
  const given = [cmd, command, argv].filter((field) => field !== undefined).length;
  if (given !== 1)
    return given === 0 ? '"cmd" or "argv"' : 'one of "cmd" (or its other name "command") and "argv", not two of them';
  const isOfPort = typeof ready === 'object' && ready !== null && !('log' in ready);
  return isOfPort && port === undefined ? 'a "port", which "ready" is about' : undefined;
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

// Nothing is awaited here, so that two nodes cannot start a service of one name.
function openService(fields: Fields, context: ActionContext, { cwd, port, reserved }: Place): Service {
  const { name, argv, cmd, command = '', env, port_env: portVariable } = fields;
  const earlier = context.services.find(name);
  if (earlier && !earlier.result) {
    reserved?.release();
    const message = `A service ${JSON.stringify(name)} runs already: ${earlier.path} started it. Stop it by service.stop, or give this one another "name".`;
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
    redact: context.redact,
    output: context.output && limitOutput(outputLimitBytes, context.output),
    port,
    releasePort: reserved?.release,
  });
}

/** A node that is tried again starts its service again. */
async function replaceEarlierAttempt(name: string, { services, path }: ActionContext): Promise<void> {
  const earlier = services.find(name);
  if (earlier && !earlier.result && earlier.path === withoutAttempt(path)) await earlier.stop();
}

async function refuseTakenPort(port: number, name: string): Promise<void> {
  if ((await findListener(port)) === undefined) return;
  const message = `Port ${port} of the service ${JSON.stringify(name)} is in use: another process listens on it. End that process, or write "port": "auto".`;
  throw new RecipeError('service.port_taken', 'environment', message);
}

async function failStart(service: Service, problem: string, { services }: ActionContext): Promise<ActionResult> {
  const { spawnError } = await service.stop();
  services.remove(service);
  const { lastLines } = service;
  const message = `The service ${JSON.stringify(service.name)} is not ready: ${problem}.${lastLines === '' ? ' It wrote nothing.' : `\n${lastLines}`}`;
  const failure =
    spawnError === undefined
      ? new RecipeError('service.not_ready', 'action', message)
      : new RecipeError('service.not_started', 'environment', message);
  return { artifacts: service.captures, failure };
}
