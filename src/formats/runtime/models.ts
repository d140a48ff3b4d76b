// The models of the Runtime Recipe Definition (V1), as data: names, types, defaults. Their behaviour is in readModel.ts.
import { Numeral } from './written.js';

export type Kind =
  | { is: 'text'; pattern?: RegExp; strip?: true; without?: RegExp }
  | { is: 'integer' | 'flag' | 'float' | 'object' | 'any' }
  | { is: 'list' | 'map'; of: Kind }
  | { is: 'one of'; values: readonly string[]; error: 'literal_error' | 'enum' }
  | { is: 'model'; model: Model }
  | { is: 'either'; options: readonly (readonly [name: string, kind: Kind])[] }
  | { is: 'tagged'; by: string; models: ReadonlyMap<string, Model> };

export type Field = {
  name: string;
  kind: Kind;
  /** Another name it may be given by. */
  alias?: string;
  optional?: true;
  /** What it is when it is left out: null for an optional one that names none. */
  fallback?: unknown;
  nullable?: true;
};

export type Model = readonly Field[];

const text: Kind = { is: 'text' };
const integer: Kind = { is: 'integer' };
const object: Kind = { is: 'object' };

const need = (name: string, kind: Kind): Field => ({ name, kind });
const may = (name: string, kind: Kind): Field => ({ name, kind, optional: true, fallback: null, nullable: true });
const has = (name: string, kind: Kind, fallback: unknown): Field => ({ name, kind, optional: true, fallback });
const model = (fields: Model): Kind => ({ is: 'model', model: fields });

export const versionPattern =
  /^[vV]*(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

export const routerPattern = /^[a-zA-Z_][a-zA-Z0-9_]*(\.[a-zA-Z_][a-zA-Z0-9_]*)*$/;

const state = model([
  { name: 'schema', alias: 'schema_', kind: object },
  has('persistence', { is: 'one of', values: ['ephemeral', 'persistent'], error: 'literal_error' }, 'ephemeral'),
]);

const policy = model([
  may('max_steps', integer),
  has('max_retries', integer, new Numeral('int', '3')),
  may('timeout', integer),
  has('human_in_the_loop', { is: 'flag' }, false),
]);

const visual = model([
  may('label', text),
  may('x_y_coordinates', { is: 'list', of: { is: 'float' } }),
  may('icon', text),
  may('animation_style', text),
]);

const council = model([has('strategy', text, 'consensus'), need('voters', { is: 'list', of: text })]);

const dataMapping = model([
  need('source', text),
  has('strategy', { is: 'one of', values: ['direct', 'jsonpath', 'literal'], error: 'enum' }, 'direct'),
]);

const mapping: Kind = {
  is: 'map',
  of: {
    is: 'either',
    options: [
      ['str', text],
      ['DataMapping', dataMapping],
    ],
  },
};

const common: Model = [need('id', text), may('council_config', council), may('visual', visual), has('metadata', object, {})];

const node = (type: string, ...own: Field[]): readonly [string, Model] => [type, [...common, need('type', text), ...own]];

export const nodeModels: ReadonlyMap<string, Model> = new Map([
  node('agent', need('agent_name', text), may('system_prompt', text), may('config', object), may('overrides', object)),
  node('human', may('timeout_seconds', integer)),
  node('logic', need('code', text)),
  node('recipe', need('recipe_id', text), need('input_mapping', mapping), need('output_mapping', mapping)),
  node('map', need('items_path', text), need('processor_node_id', text), need('concurrency_limit', integer)),
]);

const router: Kind = {
  is: 'either',
  options: [
    ['constrained-str', { is: 'text', pattern: routerPattern, strip: true }],
    ['RouterExpression', model([need('operator', text), need('args', { is: 'list', of: { is: 'any' } })])],
  ],
};

const edge: Kind = {
  is: 'either',
  options: [
    ['Edge', model([need('source_node_id', text), need('target_node_id', text), may('condition', text)])],
    [
      'ConditionalEdge',
      model([need('source_node_id', text), need('router_logic', router), need('mapping', { is: 'map', of: text })]),
    ],
  ],
};

export const topologyModel: Model = [
  need('nodes', { is: 'list', of: { is: 'tagged', by: 'type', models: nodeModels } }),
  need('edges', { is: 'list', of: edge }),
  may('state_schema', state),
];

export const manifestModel: Model = [
  need('id', text),
  need('version', { is: 'text', pattern: versionPattern, without: /^[vV]+/ }),
  need('name', text),
  may('description', text),
  need('interface', model([need('inputs', object), need('outputs', object)])),
  need('state', state),
  may('policy', policy),
  need('parameters', object),
  need('topology', model(topologyModel)),
  may('integrity_hash', text),
  has('metadata', object, {}),
];
