// Asks an agent that is a program: the request as JSON on stdin, the answer as JSON on stdout.

import type { ActionContext } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/failure.js';
import { childEnv } from '../../../system/childEnv.js';
import { type ProcessResult, runProcess } from '../../../system/spawn.js';
import type { AgentProgram, AgentRequest } from './registered.js';

export async function askProgram({ argv, env }: AgentProgram, request: AgentRequest, context: ActionContext): Promise<unknown> {
  const { signal, projectRoot, runId, path, passEnv, redact } = context;
  const stdin = Buffer.from(JSON.stringify(request));
  const bounds = { cwd: projectRoot, env: childEnv({ passEnv, declared: env }), signal, tag: `${runId}/${path}`, redact };
  const result = await runProcess({ command: argv, stdin, ...bounds });
  return answerIn(result, `The program of the agent ${JSON.stringify(request.agent)} (${argv.join(' ')})`);
}

function answerIn({ exitCode, signal, spawnError, stdout, stderr }: ProcessResult, who: string): unknown {
  if (spawnError !== undefined)
    throw new RecipeError('runtime.agent_not_started', 'environment', `${who} could not be started: ${spawnError}`);
  const said = stderr.bytes.toString().trimEnd().slice(-2_000);
  const heard = said === '' ? '' : `\n${said}`;
  if (exitCode !== 0) throw new RecipeError('runtime.agent_failed', 'action', `${who} ended with ${signal ?? exitCode}.${heard}`);
  const text = stdout.bytes.toString();
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    const start = JSON.stringify(text.slice(0, 80));
    const message = `${who} wrote ${start} to stdout, where one JSON value is expected. Write anything else to stderr.${heard}`;
    throw new RecipeError('runtime.bad_answer', 'action', message, undefined, { cause: thrown });
  }
}
