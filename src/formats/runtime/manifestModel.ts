// The models of the Runtime Recipe Definition (V1) as data. readManifest.ts reads documents by them.
import { Numeral } from './python/pythonJson.js';

export type FieldKind =
  | { type: 'text'; pattern?: RegExp; strip?: true; without?: RegExp }
  | { type: 'integer' | 'flag' | 'float' | 'object' | 'any' }
  | { type: 'list' | 'map'; of: FieldKind }
  | { type: 'one of'; values: readonly string[]; error: 'literal_error' | 'enum' }
  | { type: 'model'; model: Model }
  | { type: 'either'; options: readonly (readonly [name: string, kind: FieldKind])[] }
  | { type: 'tagged'; by: string; models: ReadonlyMap<string, Model> };

export type Field = {
  name: string;
  kind: FieldKind;
  /** A second name that is accepted for the field. */
  alias?: string;
  optional?: true;
  /** The value of a missing field. */
  fallback?: unknown;
  nullable?: true;
};

export type Model = readonly Field[];

const textKind: FieldKind = { type: 'text' };
const integerKind: FieldKind = { type: 'integer' };
const objectKind: FieldKind = { type: 'object' };

const requiredField = (name: string, kind: FieldKind): Field => ({ name, kind });
const nullableField = (name: string, kind: FieldKind): Field => ({ name, kind, optional: true, fallback: null, nullable: true });
const defaultedField = (name: string, kind: FieldKind, fallback: unknown): Field => ({ name, kind, optional: true, fallback });
const modelKind = (fields: Model): FieldKind => ({ type: 'model', model: fields });

const versionPattern =
  /^[vV]*(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

const routerPattern = /^[a-zA-Z_][a-zA-Z0-9_]*(\.[a-zA-Z_][a-zA-Z0-9_]*)*$/;

const stateKind = modelKind([
  { name: 'schema', alias: 'schema_', kind: objectKind },
  defaultedField('persistence', { type: 'one of', values: ['ephemeral', 'persistent'], error: 'literal_error' }, 'ephemeral'),
]);

const policyKind = modelKind([
  nullableField('max_steps', integerKind),
  defaultedField('max_retries', integerKind, new Numeral('int', '3')),
  nullableField('timeout', integerKind),
  defaultedField('human_in_the_loop', { type: 'flag' }, false),
]);

const visualKind = modelKind([
  nullableField('label', textKind),
  nullableField('x_y_coordinates', { type: 'list', of: { type: 'float' } }),
  nullableField('icon', textKind),
  nullableField('animation_style', textKind),
]);

const councilKind = modelKind([
  defaultedField('strategy', textKind, 'consensus'),
  requiredField('voters', { type: 'list', of: textKind }),
]);

const dataMappingKind = modelKind([
  requiredField('source', textKind),
  defaultedField('strategy', { type: 'one of', values: ['direct', 'jsonpath', 'literal'], error: 'enum' }, 'direct'),
]);

const mappingKind: FieldKind = {
  type: 'map',
  of: {
    type: 'either',
    options: [
      ['str', textKind],
      ['DataMapping', dataMappingKind],
    ],
  },
};

const commonFields: Model = [
  requiredField('id', textKind),
  nullableField('council_config', councilKind),
  nullableField('visual', visualKind),
  defaultedField('metadata', objectKind, {}),
];

const nodeModel = (type: string, ...fields: Field[]): readonly [string, Model] => [
  type,
  [...commonFields, requiredField('type', textKind), ...fields],
];

export const nodeModels: ReadonlyMap<string, Model> = new Map([
  nodeModel(
    'agent',
    requiredField('agent_name', textKind),
    nullableField('system_prompt', textKind),
    nullableField('config', objectKind),
    nullableField('overrides', objectKind),
  ),
  nodeModel('human', nullableField('timeout_seconds', integerKind)),
  nodeModel('logic', requiredField('code', textKind)),
  nodeModel(
    'recipe',
    requiredField('recipe_id', textKind),
    requiredField('input_mapping', mappingKind),
    requiredField('output_mapping', mappingKind),
  ),
  nodeModel(
    'map',
    requiredField('items_path', textKind),
    requiredField('processor_node_id', textKind),
    requiredField('concurrency_limit', integerKind),
  ),
]);

const routerKind: FieldKind = {
  type: 'either',
  options: [
    ['constrained-str', { type: 'text', pattern: routerPattern, strip: true }],
    [
      'RouterExpression',
      modelKind([requiredField('operator', textKind), requiredField('args', { type: 'list', of: { type: 'any' } })]),
    ],
  ],
};

const edgeKind: FieldKind = {
  type: 'either',
  options: [
    [
      'Edge',
      modelKind([
        requiredField('source_node_id', textKind),
        requiredField('target_node_id', textKind),
        nullableField('condition', textKind),
      ]),
    ],
    [
      'ConditionalEdge',
      modelKind([
        requiredField('source_node_id', textKind),
        requiredField('router_logic', routerKind),
        requiredField('mapping', { type: 'map', of: textKind }),
      ]),
    ],
  ],
};

export const topologyModel: Model = [
  requiredField('nodes', { type: 'list', of: { type: 'tagged', by: 'type', models: nodeModels } }),
  requiredField('edges', { type: 'list', of: edgeKind }),
  nullableField('state_schema', stateKind),
];

export const manifestModel: Model = [
  requiredField('id', textKind),
  requiredField('version', { type: 'text', pattern: versionPattern, without: /^[vV]+/ }),
  requiredField('name', textKind),
  nullableField('description', textKind),
  requiredField('interface', modelKind([requiredField('inputs', objectKind), requiredField('outputs', objectKind)])),
  requiredField('state', stateKind),
  nullableField('policy', policyKind),
  requiredField('parameters', objectKind),
  requiredField('topology', modelKind(topologyModel)),
  nullableField('integrity_hash', textKind),
  defaultedField('metadata', objectKind, {}),
];
