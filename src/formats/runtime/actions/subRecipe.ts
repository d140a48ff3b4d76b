// The action rw.recipe runs a sub-recipe.
import * as z from 'zod';
import type { Action } from '../../../actions/action.js';
import { unescapeBraces } from '../escapeBraces.js';
import { applyMapping } from '../runtimeValues.js';
import { commonFields, defineEscapedAction, mapping, text } from './fields.js';
import { describeMissingRouter, finishNode, type RuntimeServices, routerPrograms } from './finishNode.js';

export function subRecipeAction(runtime: RuntimeServices): Action {
  return defineEscapedAction({
    name: 'rw.recipe',
    description: 'Runs another manifest with a separate state, and merges its mapped outputs into the state of this manifest.',
    schema: z.strictObject({ ...commonFields, recipe: text, output_mapping: mapping }),
    examples: [
      {
        description: 'A child.',
        node: { action: 'rw.recipe', recipe: 'child', output_mapping: {}, node: 'sub', level: 0, layer: 0, body: { nodes: {} } },
      },
    ],
    effect: 'none',
    planRegion: ({ body }) => body && { kind: 'walk', entry: body.entry ?? '', nodes: body.nodes },
    programs: ({ fields }) => routerPrograms(runtime.handlers, unescapeBraces(fields.routes)),
    describeUnsupported: ({ fields }) => describeMissingRouter(runtime.handlers, unescapeBraces(fields.routes)),
    async run(fields, context) {
      const { path, body } = context;
      runtime.instances.get(fields, context).countStep(path);
      if (body?.status !== 'pass') return { output: { recipe: fields.recipe, status: body?.status } };
      const closed = body.outputs.get('close') as { result?: Record<string, unknown> } | undefined;
      const result = closed?.result ?? {};
      const update = applyMapping(fields.output_mapping, { state: result, inputs: {}, parameters: {}, nodes: {} });
      return finishNode({ runtime, fields, context }, { output: result, update, details: { recipe: fields.recipe } });
    },
  });
}
