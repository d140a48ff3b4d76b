// The action rw.agent calls an agent: a function of the setup module, or a program that reads and writes JSON.
import * as z from 'zod';
import type { Action, ActionContext } from '../../../actions/action.js';
import { commandStopMs } from '../../../actions/runCommand.js';
import { didYouMean } from '../../../document/didYouMean.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { buildChildEnv, type ProcessResult, runProcess } from '../../../system/processes/runProcess.js';
import { unescapeBraces } from '../escapeBraces.js';
import { expandVariables } from '../runtimeValues.js';
import { commonFields, defineEscapedAction, dict, text } from './fields.js';
import { describeMissingRouter, finishNode, type RuntimeServices, routerPrograms } from './finishNode.js';
import { approvalMs, askApproval } from './human.js';
import { parseAgentResult } from './parseAgentResult.js';
import { type Agent, type AgentProgram, type AgentRequest, callHandler } from './projectHandlers.js';

const schema = z.strictObject({
  ...commonFields,
  agent: text.describe('The name under which the agent is registered.'),
  system_prompt: text.optional(),
  config: dict.optional(),
  overrides: dict.optional(),
  approval: z.boolean().optional().describe('A person must approve the call first.'),
  secrets: z.record(z.string(), z.string()).optional().describe('The secrets that the configuration refers to.'),
  vote: z.boolean().optional().describe('The answer is a vote in the council that contains the agent.'),
});

type Fields = z.output<typeof schema>;

const example = {
  description: 'A research agent.',
  node: { action: 'rw.agent', agent: 'ResearchAgent', node: 'step_1', level: 0, layer: 0 },
};

export function agentAction(runtime: RuntimeServices): Action {
  const { handlers } = runtime;
  return defineEscapedAction({
    name: 'rw.agent',
    description: 'Calls an agent that the project registers by name, and merges its result into the state of the manifest.',
    schema,
    examples: [example],
    effect: 'user',
    fallible: () => true,
    secretFields: ['secrets'],
    stopMs: commandStopMs,
    timeoutMs: ({ fields: { approval } }) => (approval === true ? approvalMs : undefined),
    programs: ({ fields }) => [
      ...agentPrograms(handlers.agents, unescapeBraces(fields.agent)),
      ...routerPrograms(handlers, unescapeBraces(fields.routes)),
    ],
    describeUnsupported: ({ fields }) =>
      describeMissingAgent(handlers.agents, unescapeBraces(fields.agent)) ??
      describeMissingRouter(handlers, unescapeBraces(fields.routes)),
    async run(fields, context) {
      const instance = runtime.instances.get(fields, context);
      if (fields.vote) instance.requireStepLeft();
      else instance.countStep(context.path);
      const refusal = fields.approval
        ? await askApproval(`May the agent ${fields.agent} work on ${fields.node}?`, instance, context)
        : undefined;
      if (refusal) return refusal;
      const request = buildRequest(fields, instance.values(fields, context));
      const result = parseAgentResult(
        `The agent ${JSON.stringify(fields.agent)}`,
        await askAgent(handlers.agents, request, context),
      );
      return fields.vote ? { output: { output: result.output } } : finishNode({ runtime, fields, context }, result);
    },
  });
}

function describeMissingAgent(agents: readonly Agent[] = [], name: unknown): string | undefined {
  if (agents.some((agent) => agent.name === name)) return undefined;
  const suggestion = didYouMean(
    String(name),
    agents.map((agent) => agent.name),
  );
  return `the agent ${JSON.stringify(name)} is not registered; add defineAgent(${JSON.stringify(name)}, …) to "agents" of the setup module. ${suggestion.replace(/\.$/, '')}`;
}

function agentPrograms(agents: readonly Agent[] = [], name: unknown): string[] {
  const agent = agents.find((candidate) => candidate.name === name);
  return agent && 'argv' in agent ? [agent.argv[0]] : [];
}

function buildRequest(fields: Fields, values: Omit<AgentRequest, 'agent' | 'node' | 'config' | 'overrides'>): AgentRequest {
  const { agent, node, system_prompt: prompt, config = {}, overrides = {}, secrets, vote } = fields;
  // Only the configuration gets secrets. A model reads the prompt and could repeat a secret in its answer.
  const valuesWithSecrets = { ...values, inputs: { ...values.inputs, ...secrets } };
  const settings = expandVariables({ config, overrides }, valuesWithSecrets) as Pick<AgentRequest, 'config' | 'overrides'>;
  const promptFields = prompt === undefined ? {} : { system_prompt: String(expandVariables(prompt, values)) };
  return { agent, node, ...values, ...settings, ...promptFields, ...(vote ? { vote: true } : {}) };
}

async function askAgent(agents: readonly Agent[] = [], request: AgentRequest, context: ActionContext): Promise<unknown> {
  const agent = agents.find(({ name }) => name === request.agent);
  if (!agent) throw new RecipeError('runtime.unknown_agent', 'harness', `${describeMissingAgent(agents, request.agent)}.`);
  if ('argv' in agent) return runAgentProgram(agent, request, context);
  const { signal, projectRoot } = context;
  return callHandler(`The agent ${JSON.stringify(agent.name)}`, () => agent.run(request, { signal, projectRoot }));
}

// A program gets the request as JSON on stdin and writes the answer as JSON to stdout.

async function runAgentProgram({ argv, env }: AgentProgram, request: AgentRequest, context: ActionContext): Promise<unknown> {
  const { signal, projectRoot, runId, path, passEnv, openMasker } = context;
  const stdin = Buffer.from(JSON.stringify(request));
  const bounds = {
    cwd: projectRoot,
    env: buildChildEnv({ passEnv, declared: env }),
    signal,
    tag: `${runId}/${path}`,
    openMasker,
  };
  const result = await runProcess({ command: argv, stdin, ...bounds });
  return parseAnswer(result, `The program of the agent ${JSON.stringify(request.agent)} (${argv.join(' ')})`);
}

function parseAnswer({ exitCode, signal, spawnError, stdout, stderr }: ProcessResult, who: string): unknown {
  if (spawnError !== undefined)
    throw new RecipeError('runtime.agent_not_started', 'environment', `${who} could not start: ${spawnError}`);
  const stderrText = stderr.bytes.toString().trimEnd().slice(-2_000);
  const diagnostics = stderrText === '' ? '' : `\n${stderrText}`;
  if (exitCode !== 0)
    throw new RecipeError(
      'runtime.agent_failed',
      'action',
      `${who} ${signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`}.${diagnostics}`,
    );
  const text = stdout.bytes.toString();
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    const start = JSON.stringify(text.slice(0, 80));
    const message = `${who} wrote ${start} to stdout instead of one JSON value. Write other output to stderr.${diagnostics}`;
    throw new RecipeError('runtime.bad_answer', 'action', message, undefined, { cause: thrown });
  }
}
