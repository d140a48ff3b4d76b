// An official action with the fields that a runner's manifest adds to it: the protocol's own mean what they always mean.
import * as z from 'zod';
import type { Declaration } from '../../actions/action.js';
import { present } from '../../document/present.js';
import { type FieldsModel, fieldsModel, ownFields } from './fieldsModel.js';

type Json = Readonly<Record<string, unknown>>;

export type Extended = { declaration: Declaration } & Omit<FieldsModel, 'model'>;

export function extendedAction(declaration: Declaration, schema: Json | null | undefined): Extended {
  const { schema: base } = declaration;
  if (!schema || !(base instanceof z.ZodObject)) return { declaration };
  const { invalid } = fieldsModel(schema);
  const { properties, required = [], definitions, $defs } = ownFields(schema);
  const added = Object.entries(properties).filter(([name]) => !Object.hasOwn(base.shape, name));
  if (invalid !== undefined) return { declaration, invalid };
  if (added.length === 0) return { declaration };
  const names = new Set(added.map(([name]) => name));
  // What the schema says of fields together is about those of the protocol too, which nodes are not asked for here.
  const { model } = fieldsModel({
    ...present({ definitions, $defs }),
    properties: Object.fromEntries(added),
    required: required.filter((name) => names.has(name)),
  });
  return { declaration: { ...declaration, schema: extend(base, names, model) } };
}

function extend(base: z.ZodObject, names: ReadonlySet<string>, model: z.ZodType): z.ZodType {
  const shape = Object.fromEntries([...names].map((name) => [name, z.unknown().optional()]));
  return base.safeExtend(shape).superRefine((fields, context) => {
    const given = Object.fromEntries(Object.entries(fields).filter(([name]) => names.has(name)));
    for (const issue of model.safeParse(given).error?.issues ?? []) context.addIssue({ ...issue });
  });
}
