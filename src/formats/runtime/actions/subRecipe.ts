import * as z from 'zod';
import type { Action } from '../../../actions/action.js';
import { mapValues } from '../mapValues.js';
import { unshield } from '../shield.js';
import { missingRouter, routerPrograms } from './askRouter.js';
import { conclude, type Runtime } from './conclude.js';
import { common, defineShielded, mapping, text } from './fields.js';

export function subRecipeAction(runtime: Runtime): Action {
  return defineShielded({
    name: 'rw.recipe',
    description: 'Runs another manifest, with a state of its own, and takes over what its outputs are mapped to.',
    schema: z.strictObject({ ...common, recipe: text, output_mapping: mapping }),
    examples: [
      {
        description: 'A child.',
        node: { action: 'rw.recipe', recipe: 'child', output_mapping: {}, node: 'sub', level: 0, layer: 0, body: { nodes: {} } },
      },
    ],
    effect: 'none',
    opens: ({ body }) => body && { kind: 'walk', entry: body.entry ?? '', nodes: body.nodes },
    programs: ({ fields }) => routerPrograms(runtime.registered, unshield(fields.routes)),
    cannot: ({ fields }) => missingRouter(runtime.registered, unshield(fields.routes)),
    async run(fields, context) {
      const { path, body } = context;
      runtime.instances.of(fields, context).step(path);
      if (body?.status !== 'pass') return { output: { recipe: fields.recipe, status: body?.status } };
      const closed = body.outputs.get('close') as { result?: Record<string, unknown> } | undefined;
      const result = closed?.result ?? {};
      const update = mapValues(fields.output_mapping, { state: result, inputs: {}, parameters: {}, nodes: {} });
      return conclude({ runtime, fields, context }, { output: result, update, told: { recipe: fields.recipe } });
    },
  });
}
