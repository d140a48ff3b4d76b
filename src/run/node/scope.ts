// The values a node can read: outputs of nodes before it, from its own region outwards, and the inputs, params and items around it.

import type { RunServices } from '../../actions/service/runServices.js';
import type { AssertionValues } from '../../engine/evaluateAssertion.js';
import type { PathResult } from '../../engine/jsonPath.js';
import { readKeys } from '../../engine/jsonPath.js';
import type { ReferenceLookup } from '../../engine/references.js';
import type { CapturedOutput } from '../../system/processes/runProcess.js';
import type { WatchedFiles } from '../watchedFiles.js';

/** What graph and teardown of one run share. */
export type RunValues = {
  root: Scope;
  artifactPaths: Set<string>;
  /** The files that nodes watch, as they were before the first node ran. */
  watchedFiles: WatchedFiles;
  services: RunServices;
  /** Something ran that is more than a gate. */
  hasBegun: boolean;
};

type RunRoots = {
  inputs: Readonly<Record<string, unknown>>;
  saved: Map<string, unknown>;
  operators?: AssertionValues['operators'];
  /** Read only for the fields that may hold them. */
  secrets?: ReadonlyMap<string, string>;
};

export class Scope {
  readonly outputs = new Map<string, unknown>();
  /** What the items of an `each` gave, in the order of the items. */
  readonly items: unknown[] = [];
  last: unknown;
  /** What was handed on, by id, or by number for the items of an `each`. */
  readonly streams = new Map<string | number, CapturedOutput>();

  constructor(
    private readonly run: RunRoots,
    private readonly parent?: Scope,
    private readonly own: { params?: unknown; item?: unknown; hasItem?: boolean; state?: ReadonlyMap<string, unknown> } = {},
  ) {}

  /** What the children of a node read. */
  child(params?: unknown): Scope {
    return new Scope(this.run, this, params === undefined ? {} : { params });
  }

  /** What one item of an `each` reads. */
  forItem(item: unknown): Scope {
    return new Scope(this.run, this, { item, hasItem: true });
  }

  /** The same values, and what was seen of the product just now. */
  withState(state: ReadonlyMap<string, unknown>): Scope {
    return new Scope(this.run, this, { state });
  }

  private stateOf(name: string): PathResult {
    const seen = this.own.state?.get(name);
    if (this.own.state?.has(name)) return seen === undefined ? { found: false } : { found: true, value: seen };
    return this.parent?.stateOf(name) ?? { found: false };
  }

  outputOf(id: string): PathResult {
    return this.outputs.has(id) ? { found: true, value: this.outputs.get(id) } : (this.parent?.outputOf(id) ?? { found: false });
  }

  keepOutput(id: string, output: unknown, item?: number): void {
    this.outputs.set(id, output);
    if (item !== undefined) this.items[item] = output;
  }

  save(name: string, value: unknown): void {
    this.run.saved.set(name, value);
  }

  get inputs(): Readonly<Record<string, unknown>> {
    return this.run.inputs;
  }

  get params(): unknown {
    return this.own.params ?? this.parent?.params ?? {};
  }

  item(): PathResult {
    return this.own.hasItem ? { found: true, value: this.own.item } : (this.parent?.item() ?? { found: false });
  }

  /** A named source: a prior node, or one of the roots. */
  readSource(name: string): PathResult {
    if (name === 'inputs') return { found: true, value: this.run.inputs };
    if (name === 'params') return { found: true, value: this.params };
    if (name === 'saved') return { found: true, value: Object.fromEntries(this.run.saved) };
    if (name === 'item') return this.item();
    if (name.startsWith('state:')) return this.stateOf(name.slice('state:'.length));
    return this.outputOf(name);
  }

  read(source: string, keys: readonly string[]): PathResult {
    const root = this.readSource(source);
    return root.found ? readKeys(root.value, keys) : root;
  }

  /** For `when`, `unless`, `switch` and edges: without a source, all prior outputs by node id lie open. */
  values(): AssertionValues {
    return {
      find: (source, [first, ...rest]) => {
        if (source !== undefined) return this.read(source, first === undefined ? [] : [first, ...rest]);
        return first === undefined ? { found: false } : this.read(first, rest);
      },
      param: (name) => this.param(name),
      operators: this.run.operators,
    };
  }

  /** For a node's own assert: without a source, its output lies open. */
  valuesOver(output: unknown): AssertionValues {
    return {
      find: (source, keys) => (source === undefined || source === 'output' ? readKeys(output, keys) : this.read(source, keys)),
      param: (name) => this.param(name),
      operators: this.run.operators,
    };
  }

  /** `outputs`: the text may also refer to what former nodes gave. */
  lookup(templates?: 'outputs' | undefined): ReferenceLookup {
    return ([first = '', ...rest]) => {
      if (templates === 'outputs' && first === 'outputs' && rest.length > 0) return this.read(rest[0] ?? '', rest.slice(1));
      if (first === 'params' && rest.length > 0) return readKeys(this.params, rest);
      if (first === 'inputs' && rest.length > 0) return readKeys(this.run.inputs, rest);
      return readKeys(this.run.inputs, [first, ...rest]);
    };
  }

  /** The same, and secrets by their names: for fields that keep them. */
  secretLookup(templates?: 'outputs' | undefined): ReferenceLookup {
    const plain = this.lookup(templates);
    const { secrets } = this.run;
    if (!secrets || secrets.size === 0) return plain;
    return (keys) => {
      const [first = '', second] = keys;
      const name = first === 'inputs' ? second : first;
      const value = name !== undefined && keys.length === (first === 'inputs' ? 2 : 1) ? secrets.get(name) : undefined;
      return value === undefined ? plain(keys) : { found: true, value };
    };
  }

  /** The param of the flow, or the input, of this name. */
  param(name: string): PathResult {
    const given = readKeys(this.params, [name]);
    return given.found ? given : readKeys(this.run.inputs, [name]);
  }
}
