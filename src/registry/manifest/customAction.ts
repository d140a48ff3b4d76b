// An action that only a manifest knows, as a declaration the rules can ask.

import type { Declaration, Effect } from '../../actions/action.js';
import { present } from '../../document/present.js';
import { type FieldsModel, fieldsModel } from './fieldsModel.js';
import type { CustomAction } from './model.js';

export type Custom = { declaration: Declaration } & Omit<FieldsModel, 'model'>;

export function customAction(entry: CustomAction): Custom {
  const { name, description, examples, captures, needs, secret_fields: secretFields } = entry;
  const { model: schema, ...problems } = fieldsModel(entry.schema);
  const inPage = /^(ui|app|cdp)\./.test(name) ? ['page'] : undefined;
  const declaration: Declaration = {
    ...{ name, description: description ?? '', schema, effect: effectOf(entry), asserts: assertsIn(entry) },
    examples: (examples ?? []).map(({ description: said, node }) => ({ description: said ?? '', node })),
    ...present({ captures, needs: needs ?? inPage, secretFields }),
  };
  return { declaration, ...problems };
}

function effectOf({ effect = 'user' }: CustomAction): Effect {
  return effect === 'varies' ? 'user' : effect;
}

// The protocol's own habit: assert_* checks, ensure_* proves what it converged to.
function assertsIn({ name, asserts }: CustomAction): boolean {
  if (asserts !== undefined) return asserts !== false;
  return /^(assert|ensure)_/.test(name.slice(name.lastIndexOf('.') + 1));
}
