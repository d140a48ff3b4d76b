import * as z from 'zod';
import type { Action, HeldSchema } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/failure.js';
import type { Assert } from '../../../evidence/journal.js';
import { isObject } from '../scalars.js';
import { unshield } from '../shield.js';
import type { Runtime } from './conclude.js';
import { defineShielded, dict, self } from './fields.js';
import { instancePath, problemBy, unusable } from './instance.js';

type Dict = Readonly<Record<string, unknown>>;

const example = {
  description: 'A summary.',
  node: { action: 'rw.close', node: 'r', level: 0, layer: 0, outputs: { required: ['summary'] } },
};

export function closeAction(runtime: Runtime): Action {
  const { instances, registered } = runtime;
  return defineShielded({
    name: 'rw.close',
    description: 'Puts together what a manifest gives, holds it to interface.outputs, and keeps its state when it is to last.',
    schema: z.strictObject({ ...self, outputs: dict.describe('The schema of what it promises.') }),
    examples: [example],
    effect: 'none',
    asserts: ({ fields: { outputs } }) => promises(unshield(outputs)),
    schemas: ({ fields: { outputs } }) => schemasIn(unshield(outputs)),
    cannot: ({ fields: { outputs } }) => unusable(schemasIn(unshield(outputs))),
    run(fields, context) {
      const instance = instances.of(fields, context);
      const ended = instance.ended();
      const result = resultOf(fields.outputs, ended);
      const problem = problemBy(fields.outputs, result);
      const isAsked = Object.keys(fields.outputs).length > 0;
      const made = outcome(result, problem);
      const { persistent, recipe } = instance.opening;
      if (persistent && context.isSecret(ended.state)) throw new RecipeError('runtime.secret_in_state', 'action', keptSecret);
      if (persistent && made.held) registered.openStateDir?.(context.projectRoot).save(recipe, ended.state);
      instances.close(context.runId, instancePath(fields.level, context.path));
      return { output: { result, state: ended.state }, ...(isAsked ? { asserts: [made] } : {}) };
    },
  });
}

function schemasIn(outputs: unknown): HeldSchema[] {
  return isObject(outputs) ? [{ what: 'interface.outputs', keys: ['outputs'], schema: outputs }] : [];
}

/** A schema that an empty result fits holds nobody to anything. */
function promises(outputs: unknown): boolean {
  return isObject(outputs) && problemBy(outputs, {}) !== undefined;
}

const keptSecret =
  'The state holds the value of a secret and is to be kept between runs. Let the agent that was given it not give it back.';

function outcome(actual: Dict, problem: string | undefined): Assert {
  return { operator: 'schema', path: '$.result', expected: problem ?? 'interface.outputs', actual, held: problem === undefined };
}

/** Each promised key from the state, else from the node of that name, else from the last node that gives an object with it. */
function resultOf({ properties }: Dict, { state, outputs }: { state: Dict; outputs: Dict }): Dict {
  if (typeof properties !== 'object' || properties === null) return state;
  const given = Object.values(outputs).filter((output): output is Dict => typeof output === 'object' && output !== null);
  const sources: readonly Dict[] = [state, outputs, ...given.reverse()];
  const entries = Object.keys(properties).flatMap((key): [string, unknown][] => {
    const source = sources.find((from) => Object.hasOwn(from, key));
    return source ? [[key, source[key]]] : [];
  });
  return Object.fromEntries(entries);
}
