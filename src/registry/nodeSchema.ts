// What editors know of a node: the fields of its action, beside those of the protocol.

import type { Declaration } from '../actions/action.js';
import { officialActions } from '../actions/vocabulary.js';
import { toJsonSchema } from '../evidence/models/toJsonSchema.js';
import { ours } from './registry.js';

type Json = Record<string, unknown>;

/** The same schema, where the definition of a node, if it has one, asks more of each known action. Others stay open. */
export function withActionFields(schema: Json): Json {
  const definitions = schema.definitions as Record<string, Json> | undefined;
  const node = definitions?.node;
  if (!definitions || !node) return schema;
  const own = node.properties as Json;
  const actions = [...officialActions, ...ours];
  const action = { ...(own.action as Json), anyOf: [{ enum: actions.map(({ name }) => name) }, { pattern: '^[^.]+\\..' }] };
  const typed = { ...node, properties: { ...own, action }, allOf: actions.map(branchOf) };
  return { ...schema, definitions: { ...definitions, node: typed, protocolField: { enum: Object.keys(own) }, reference } };
}

const reference = {
  type: 'string',
  pattern: '\\{\\{[^}]+\\}\\}',
  description: 'A value that is filled in when the recipe runs.',
};
const protocolField = { $ref: '#/definitions/protocolField' };

function branchOf({ name, description, schema }: Declaration): Json {
  const { properties = {}, required = [] } = toJsonSchema(schema) as { properties?: Json; required?: string[] };
  const names = Object.keys(properties);
  const fields = Object.entries(properties).map(([field, type]) => [field, orReference(type as Json)]);
  const asked = {
    description,
    properties: Object.fromEntries(fields),
    propertyNames: names.length > 0 ? { anyOf: [{ enum: names }, protocolField] } : protocolField,
    // A field may also be bound to a value of the run, by rw.in.
    ...(required.length > 0 ? { anyOf: [{ required }, { required: ['rw'] }] } : {}),
  };
  const condition = { properties: { action: { const: name } }, required: ['action'] };
  // An object literal with a `then` looks like a promise to the linter.
  return Object.fromEntries([
    ['if', condition],
    ['then', asked],
  ]);
}

/** Where a number or a choice is asked for, a reference may stand instead. */
function orReference(field: Json): Json {
  const { description, ...rest } = field;
  const isText = rest.type === 'string' && !['enum', 'pattern', 'const'].some((key) => key in rest);
  if (isText || Object.keys(rest).length === 0) return field;
  const inner = { ...rest, ...propertiesOf(rest), ...itemsOf(rest) };
  return { ...(description === undefined ? {} : { description }), anyOf: [inner, { $ref: '#/definitions/reference' }] };
}

function propertiesOf({ properties }: Json): Json {
  const entries = Object.entries((properties ?? {}) as Record<string, Json>);
  return properties ? { properties: Object.fromEntries(entries.map(([name, part]) => [name, orReference(part)])) } : {};
}

function itemsOf({ items }: Json): Json {
  return typeof items === 'object' && items !== null && !Array.isArray(items) ? { items: orReference(items as Json) } : {};
}
