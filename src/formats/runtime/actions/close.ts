// The action rw.close ends a manifest: collects and checks its outputs, and saves its state.
import * as z from 'zod';
import type { Action, FieldSchema } from '../../../actions/action.js';
import type { Assert } from '../../../evidence/journal.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { unescapeBraces } from '../escapeBraces.js';
import { isObject } from '../python/pythonJson.js';
import { defineEscapedAction, dict, identityFields } from './fields.js';
import type { RuntimeServices } from './finishNode.js';
import { findSchemaProblem, findUnusableSchema, instancePath } from './manifestInstance.js';

type Dict = Readonly<Record<string, unknown>>;

const example = {
  description: 'A summary.',
  node: { action: 'rw.close', node: 'r', level: 0, layer: 0, outputs: { required: ['summary'] } },
};

export function closeAction(runtime: RuntimeServices): Action {
  const { instances, handlers } = runtime;
  return defineEscapedAction({
    name: 'rw.close',
    description: 'Collects the outputs of a manifest, checks them against interface.outputs, and saves a persistent state.',
    schema: z.strictObject({ ...identityFields, outputs: dict.describe('The JSON Schema of the outputs.') }),
    examples: [example],
    effect: 'none',
    asserts: ({ fields: { outputs } }) => promisesOutputs(unescapeBraces(outputs)),
    schemas: ({ fields: { outputs } }) => outputSchemas(unescapeBraces(outputs)),
    describeUnsupported: ({ fields: { outputs } }) => findUnusableSchema(outputSchemas(unescapeBraces(outputs))),
    run(fields, context) {
      const instance = instances.get(fields, context);
      const finalState = instance.readFinalState();
      const result = collectOutputs(fields.outputs, finalState);
      const problem = findSchemaProblem(fields.outputs, result);
      const hasOutputSchema = Object.keys(fields.outputs).length > 0;
      const outcome = assertOutputs(result, problem);
      const { persistent, recipe } = instance.options;
      if (persistent && context.isSecret(finalState.state))
        throw new RecipeError('runtime.secret_in_state', 'action', secretInStateMessage);
      if (persistent && outcome.held) handlers.openStateDir?.(context.projectRoot).save(recipe, finalState.state);
      instances.close(context.runId, instancePath(fields.level, context.path));
      return { output: { result, state: finalState.state }, ...(hasOutputSchema ? { asserts: [outcome] } : {}) };
    },
  });
}

function outputSchemas(outputs: unknown): FieldSchema[] {
  return isObject(outputs) ? [{ label: 'interface.outputs', keys: ['outputs'], schema: outputs }] : [];
}

/** Whether the schema requires any output. A schema that an empty result satisfies requires none. */
function promisesOutputs(outputs: unknown): boolean {
  return isObject(outputs) && findSchemaProblem(outputs, {}) !== undefined;
}

const secretInStateMessage =
  'The state contains the value of a secret and would be saved between runs. Change the agent so that it does not return the secret.';

function assertOutputs(actual: Dict, problem: string | undefined): Assert {
  return { operator: 'schema', path: '$.result', expected: problem ?? 'interface.outputs', actual, held: problem === undefined };
}

/**
 * Collects each declared key: from the state, else from the node of that name, else from the last node whose output has the key.
 */
function collectOutputs({ properties }: Dict, { state, outputs }: { state: Dict; outputs: Dict }): Dict {
  if (typeof properties !== 'object' || properties === null) return state;
  const objectOutputs = Object.values(outputs).filter((output): output is Dict => typeof output === 'object' && output !== null);
  const sources: readonly Dict[] = [state, outputs, ...objectOutputs.reverse()];
  const entries = Object.keys(properties).flatMap((key): [string, unknown][] => {
    const source = sources.find((from) => Object.hasOwn(from, key));
    return source ? [[key, source[key]]] : [];
  });
  return Object.fromEntries(entries);
}
