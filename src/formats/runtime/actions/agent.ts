// Asks an agent: a function of the setup module, or a program that reads and writes JSON.
import * as z from 'zod';
import type { Action, ActionContext } from '../../../actions/action.js';
import { commandStopMs } from '../../../actions/runCommand.js';
import { didYouMean } from '../../../document/nearest.js';
import { RecipeError } from '../../../evidence/failure.js';
import { expandVariables } from '../expandVariables.js';
import { unshield } from '../shield.js';
import { approvalMs, approve } from './approve.js';
import { askProgram } from './askProgram.js';
import { missingRouter, routerPrograms } from './askRouter.js';
import { conclude, type Runtime } from './conclude.js';
import { common, defineShielded, dict, text } from './fields.js';
import { givenBy } from './givenBy.js';
import { handled } from './handled.js';
import type { Agent, AgentRequest } from './registered.js';

const schema = z.strictObject({
  ...common,
  agent: text.describe('The name it is registered by.'),
  system_prompt: text.optional(),
  config: dict.optional(),
  overrides: dict.optional(),
  approval: z.boolean().optional().describe('A person has to agree first.'),
  secrets: z.record(z.string(), z.string()).optional().describe('Those that its configuration names.'),
  vote: z.boolean().optional().describe('Its answer is a vote in the council around it.'),
});

type Fields = z.output<typeof schema>;

const example = {
  description: 'A research agent.',
  node: { action: 'rw.agent', agent: 'ResearchAgent', node: 'step_1', level: 0, layer: 0 },
};

export function agentAction(runtime: Runtime): Action {
  const { registered } = runtime;
  return defineShielded({
    name: 'rw.agent',
    description: 'Asks an agent that the project registers by name, and takes over what it gives into the state of the manifest.',
    schema,
    examples: [example],
    effect: 'user',
    fallible: () => true,
    secretFields: ['secrets'],
    stopMs: commandStopMs,
    timeoutMs: ({ fields: { approval } }) => (approval === true ? approvalMs : undefined),
    programs: ({ fields }) => [
      ...programOf(registered.agents, unshield(fields.agent)),
      ...routerPrograms(registered, unshield(fields.routes)),
    ],
    cannot: ({ fields }) =>
      missingAgent(registered.agents, unshield(fields.agent)) ?? missingRouter(registered, unshield(fields.routes)),
    async run(fields, context) {
      const instance = runtime.instances.of(fields, context);
      if (fields.vote) instance.roomForStep();
      else instance.step(context.path);
      const refused = fields.approval
        ? await approve(`May the agent ${fields.agent} work on ${fields.node}?`, instance, context)
        : undefined;
      if (refused) return refused;
      const request = requestFor(fields, instance.values(fields, context));
      const given = givenBy(`The agent ${JSON.stringify(fields.agent)}`, await ask(registered.agents, request, context));
      return fields.vote ? { output: { output: given.output } } : conclude({ runtime, fields, context }, given);
    },
  });
}

function missingAgent(agents: readonly Agent[] = [], name: unknown): string | undefined {
  if (agents.some((agent) => agent.name === name)) return undefined;
  const known = didYouMean(
    String(name),
    agents.map((agent) => agent.name),
  );
  return `the agent ${JSON.stringify(name)} is not registered; add defineAgent(${JSON.stringify(name)}, …) to "agents" of the setup module. ${known.replace(/\.$/, '')}`;
}

function programOf(agents: readonly Agent[] = [], name: unknown): string[] {
  const agent = agents.find((one) => one.name === name);
  return agent && 'argv' in agent ? [agent.argv[0]] : [];
}

function requestFor(fields: Fields, values: Omit<AgentRequest, 'agent' | 'node' | 'config' | 'overrides'>): AgentRequest {
  const { agent, node, system_prompt: prompt, config = {}, overrides = {}, secrets, vote } = fields;
  // A prompt is read by a model, which tells on what it was told: secrets are for the configuration.
  const known = { ...values, inputs: { ...values.inputs, ...secrets } };
  const filled = expandVariables({ config, overrides }, known) as Pick<AgentRequest, 'config' | 'overrides'>;
  const asked = prompt === undefined ? {} : { system_prompt: String(expandVariables(prompt, values)) };
  return { agent, node, ...values, ...filled, ...asked, ...(vote ? { vote: true } : {}) };
}

async function ask(agents: readonly Agent[] = [], request: AgentRequest, context: ActionContext): Promise<unknown> {
  const agent = agents.find(({ name }) => name === request.agent);
  if (!agent) throw new RecipeError('runtime.unknown_agent', 'harness', `${missingAgent(agents, request.agent)}.`);
  if ('argv' in agent) return askProgram(agent, request, context);
  const { signal, projectRoot } = context;
  return handled(`The agent ${JSON.stringify(agent.name)}`, () => agent.run(request, { signal, projectRoot }));
}
