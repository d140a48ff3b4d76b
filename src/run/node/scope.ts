// The values that a node can read: inputs, params, items, and the outputs of earlier nodes in its own region and the outer regions.

import type { RunServices } from '../../actions/service/runServices.js';
import type { AssertionValues } from '../../engine/evaluateAssertion.js';
import type { PathResult } from '../../engine/jsonPath.js';
import { readKeys } from '../../engine/jsonPath.js';
import type { ReferenceLookup } from '../../engine/references.js';
import type { CapturedOutput } from '../../system/processes/runProcess.js';
import type { WatchedFiles } from '../watchedFiles.js';

/** The values that the graph and the teardown of a run share. */
export type RunValues = {
  root: Scope;
  artifactPaths: Set<string>;
  /** The state of the watched files before the first node ran. */
  watchedFiles: WatchedFiles;
  /** The services that nodes of the run have started. */
  services: RunServices;
  /** Set when the first node begins that is not a precondition. */
  hasBegun: boolean;
};

type RunSources = {
  inputs: Readonly<Record<string, unknown>>;
  saved: Map<string, unknown>;
  operators?: AssertionValues['operators'];
  /** Available only to fields that may contain a secret. */
  secrets?: ReadonlyMap<string, string>;
};

export class Scope {
  readonly outputs = new Map<string, unknown>();
  /** The outputs for the items of an `rw.each`, in the order of the items. */
  readonly items: unknown[] = [];
  last: unknown;
  /** The standard outputs that the next node of a pipe can read, by node id. In an `rw.each`, the key is the number of the item. */
  readonly streams = new Map<string | number, CapturedOutput>();

  constructor(
    private readonly run: RunSources,
    private readonly parent?: Scope,
    private readonly ownValues: {
      params?: unknown;
      item?: unknown;
      hasItem?: boolean;
      state?: ReadonlyMap<string, unknown>;
    } = {},
  ) {}

  /** Creates the scope of the children of a node. */
  child(params?: unknown): Scope {
    return new Scope(this.run, this, params === undefined ? {} : { params });
  }

  /** Creates the scope of one item of an `rw.each`. */
  forItem(item: unknown): Scope {
    return new Scope(this.run, this, { item, hasItem: true });
  }

  /** Creates a scope with the same values and the current values of state refs. */
  withState(state: ReadonlyMap<string, unknown>): Scope {
    return new Scope(this.run, this, { state });
  }

  private stateOf(name: string): PathResult {
    const value = this.ownValues.state?.get(name);
    if (this.ownValues.state?.has(name)) return value === undefined ? { found: false } : { found: true, value };
    return this.parent?.stateOf(name) ?? { found: false };
  }

  outputOf(id: string): PathResult {
    return this.outputs.has(id) ? { found: true, value: this.outputs.get(id) } : (this.parent?.outputOf(id) ?? { found: false });
  }

  addOutput(id: string, output: unknown, item?: number): void {
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
    return this.ownValues.params ?? this.parent?.params ?? {};
  }

  item(): PathResult {
    return this.ownValues.hasItem ? { found: true, value: this.ownValues.item } : (this.parent?.item() ?? { found: false });
  }

  /** Reads a source by its name: an earlier node, a state ref, or one of `inputs`, `params`, `saved` and `item`. */
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

  /** For `when`, `unless`, `switch` and edges. Without a source, a path begins with the id of an earlier node. */
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

  /** For the `assert` of a node. Without a source, a path reads the output of the node. */
  valuesOver(output: unknown): AssertionValues {
    return {
      find: (source, keys) => (source === undefined || source === 'output' ? readKeys(output, keys) : this.read(source, keys)),
      param: (name) => this.param(name),
      operators: this.run.operators,
    };
  }

  /** With `outputs`, references can also read the outputs of earlier nodes. */
  lookup(templates?: 'outputs' | undefined): ReferenceLookup {
    return ([first = '', ...rest]) => {
      if (templates === 'outputs' && first === 'outputs' && rest.length > 0) return this.read(rest[0] ?? '', rest.slice(1));
      if (first === 'params' && rest.length > 0) return readKeys(this.params, rest);
      if (first === 'inputs' && rest.length > 0) return readKeys(this.run.inputs, rest);
      return readKeys(this.run.inputs, [first, ...rest]);
    };
  }

  /** Like `lookup`, but also finds secrets by their names. Only for fields that may contain secrets. */
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

  /** Reads the param of this name, or the input if the flow has no such param. */
  param(name: string): PathResult {
    const param = readKeys(this.params, [name]);
    return param.found ? param : readKeys(this.run.inputs, [name]);
  }
}
