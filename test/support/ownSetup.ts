// Short spellings of what a project adds in its setup module.
import { z } from 'zod';
import { type Action, type ActionContext, type ActionResult, defineAction } from '../../src/actions/action.js';

type Fields = Record<string, unknown>;
type Run = (fields: Fields, context: ActionContext) => ActionResult | Promise<ActionResult>;

/** An action that takes any field and could fail; `facts` replace what it says of itself. */
export function ownAction(name: string, run: Run, facts: Partial<Action> = {}): Action {
  return defineAction({
    ...{ name, description: name, schema: z.looseObject({}), examples: [], effect: 'reads', fallible: () => true, ...facts },
    run: (fields, context) => run(fields as Fields, context),
  });
}
