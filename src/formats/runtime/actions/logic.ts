// The action rw.logic runs a registered function, or the Python code of the manifest.
import * as z from 'zod';
import type { Action, ActionContext } from '../../../actions/action.js';
import { commandStopMs } from '../../../actions/runCommand.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { unescapeBraces } from '../escapeBraces.js';
import { callPythonLogic } from './callPython.js';
import { commonFields, defineEscapedAction, text } from './fields.js';
import { describeMissingRouter, finishNode, type RuntimeServices, routerPrograms } from './finishNode.js';
import { type NodeResult, parseAgentResult } from './parseAgentResult.js';
import { callHandler, isPythonOn, type ProjectHandlers, pythonProgram } from './projectHandlers.js';

const schema = z.strictObject({
  ...commonFields,
  code: text.describe('The name of a registered function, or Python code.'),
});

type Fields = z.output<typeof schema>;

/** The default is short. The policy of a manifest can set a longer timeout. */
const defaultLogicMs = 10_000;

export function logicAction(runtime: RuntimeServices): Action {
  const { handlers } = runtime;
  return defineEscapedAction({
    name: 'rw.logic',
    description: 'Runs a function that the project registers, or Python code in a separate process.',
    schema,
    examples: [
      {
        description: 'A registered function.',
        node: { action: 'rw.logic', code: 'publish', node: 'step_3', level: 0, layer: 2 },
      },
    ],
    effect: 'user',
    fallible: () => true,
    stopMs: commandStopMs,
    timeoutMs: defaultLogicMs,
    programs: ({ fields }) => [
      ...(findLogic(handlers, String(unescapeBraces(fields.code))) ? [] : [pythonProgram(handlers)]),
      ...routerPrograms(handlers, unescapeBraces(fields.routes)),
    ],
    describeUnsupported: ({ fields }) =>
      describeMissingLogic(handlers, String(unescapeBraces(fields.code))) ??
      describeMissingRouter(handlers, unescapeBraces(fields.routes)),
    async run(fields, context) {
      runtime.instances.get(fields, context).countStep(context.path);
      return finishNode({ runtime, fields, context }, await computeLogic(runtime, fields, context));
    },
  });
}

async function computeLogic(
  { handlers, instances }: RuntimeServices,
  fields: Fields,
  context: ActionContext,
): Promise<NodeResult> {
  const { code } = fields;
  const values = instances.get(fields, context).values(fields, context);
  const registeredLogic = findLogic(handlers, code);
  if (registeredLogic) {
    const { signal, projectRoot } = context;
    const who = `The logic ${JSON.stringify(registeredLogic.name)}`;
    return parseAgentResult(who, await callHandler(who, () => registeredLogic.run(values, { signal, projectRoot })));
  }
  const missing = describeMissingLogic(handlers, code);
  if (missing !== undefined) throw new RecipeError('runtime.python_off', 'harness', `${missing}.`);
  return callPythonLogic(handlers, code, { values, context });
}

function findLogic({ logic = [] }: ProjectHandlers, code: string) {
  return logic.find(({ name }) => name === code.trim());
}

function describeMissingLogic(handlers: ProjectHandlers, code: string): string | undefined {
  if (findLogic(handlers, code) || isPythonOn(handlers)) return undefined;
  const excerpt = JSON.stringify(code.trim().slice(0, 60));
  return `${excerpt} is not registered as logic, and the project does not allow Python code; add defineLogic(${excerpt}, …) to "logic" of the setup module, or turn on "python" in the config`;
}
