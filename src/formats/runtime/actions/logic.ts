import * as z from 'zod';
import type { Action, ActionContext } from '../../../actions/action.js';
import { commandStopMs } from '../../../actions/runCommand.js';
import { RecipeError } from '../../../evidence/failure.js';
import { unshield } from '../shield.js';
import { missingRouter, routerPrograms } from './askRouter.js';
import { conclude, type Given, type Runtime } from './conclude.js';
import { common, defineShielded, text } from './fields.js';
import { givenBy } from './givenBy.js';
import { handled } from './handled.js';
import { isPythonOn, pythonProgram, type Registered } from './registered.js';
import { runLogic } from './usePython.js';

const schema = z.strictObject({
  ...common,
  code: text.describe('The name of a registered function, or Python code.'),
});

type Fields = z.output<typeof schema>;

/** Logic is small: what takes longer says so by the policy of its manifest. */
const usualMs = 10_000;

export function logicAction(runtime: Runtime): Action {
  const { registered } = runtime;
  return defineShielded({
    name: 'rw.logic',
    description: 'Works something out: by a function that the project registers, or by Python code in a process of its own.',
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
    timeoutMs: usualMs,
    programs: ({ fields }) => [
      ...(named(registered, String(unshield(fields.code))) ? [] : [pythonProgram(registered)]),
      ...routerPrograms(registered, unshield(fields.routes)),
    ],
    cannot: ({ fields }) =>
      missingLogic(registered, String(unshield(fields.code))) ?? missingRouter(registered, unshield(fields.routes)),
    async run(fields, context) {
      runtime.instances.of(fields, context).step(context.path);
      return conclude({ runtime, fields, context }, await workOut(runtime, fields, context));
    },
  });
}

async function workOut({ registered, instances }: Runtime, fields: Fields, context: ActionContext): Promise<Given> {
  const { code } = fields;
  const values = instances.of(fields, context).values(fields, context);
  const own = named(registered, code);
  if (own) {
    const { signal, projectRoot } = context;
    const who = `The logic ${JSON.stringify(own.name)}`;
    return givenBy(who, await handled(who, () => own.run(values, { signal, projectRoot })));
  }
  const missing = missingLogic(registered, code);
  if (missing !== undefined) throw new RecipeError('runtime.python_off', 'harness', `${missing}.`);
  return runLogic(registered, code, { values, context });
}

function named({ logic = [] }: Registered, code: string) {
  return logic.find(({ name }) => name === code.trim());
}

function missingLogic(registered: Registered, code: string): string | undefined {
  if (named(registered, code) || isPythonOn(registered)) return undefined;
  const shown = JSON.stringify(code.trim().slice(0, 60));
  return `${shown} is no registered logic, and Python code runs only where the project allows it; add defineLogic(${shown}, …) to "logic" of the setup module, or turn "python" on in the config`;
}
