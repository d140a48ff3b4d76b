// Short forms for the parts of a setup module.
import { z } from 'zod';
import { type Action, type ActionContext, type ActionResult, defineAction } from '../../src/actions/action.js';

type Fields = Record<string, unknown>;
type Run = (fields: Fields, context: ActionContext) => ActionResult | Promise<ActionResult>;

/** Defines an action that accepts any field and can fail. `facts` override its declared properties. */
export function ownAction(name: string, run: Run, facts: Partial<Action> = {}): Action {
  return defineAction({
    ...{ name, description: name, schema: z.looseObject({}), examples: [], effect: 'reads', fallible: () => true, ...facts },
    run: (fields, context) => run(fields as Fields, context),
  });
}
