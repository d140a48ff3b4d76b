// The values a node can read: outputs of nodes before it, from its own region outwards, and the inputs, params and items around it.
import type { Found } from '../graph/path.js';
import { readKeys } from '../graph/path.js';
import type { Values } from '../graph/predicate.js';
import type { Lookup } from '../graph/template.js';

/** What graph and teardown of one run share. */
export type RunValues = { root: Scope; artifactPaths: Set<string> };

type Roots = { inputs: Readonly<Record<string, unknown>>; saved: Map<string, unknown> };

export class Scope {
  readonly outputs = new Map<string, unknown>();
  /** What the items of an `each` gave, in the order of the items. */
  readonly items: unknown[] = [];
  last: unknown;

  constructor(
    private readonly run: Roots,
    private readonly parent?: Scope,
    private readonly own: { params?: unknown; item?: unknown; hasItem?: boolean } = {},
  ) {}

  /** What the children of a node read. */
  child(params?: unknown): Scope {
    return new Scope(this.run, this, params === undefined ? {} : { params });
  }

  /** What one item of an `each` reads. */
  forItem(item: unknown): Scope {
    return new Scope(this.run, this, { item, hasItem: true });
  }

  outputOf(id: string): Found {
    return this.outputs.has(id) ? { found: true, value: this.outputs.get(id) } : (this.parent?.outputOf(id) ?? { found: false });
  }

  keep(id: string, output: unknown, item?: number): void {
    this.outputs.set(id, output);
    if (item !== undefined) this.items[item] = output;
  }

  save(name: string, value: unknown): void {
    this.run.saved.set(name, value);
  }

  get params(): unknown {
    return this.own.params ?? this.parent?.params ?? {};
  }

  item(): Found {
    return this.own.hasItem ? { found: true, value: this.own.item } : (this.parent?.item() ?? { found: false });
  }

  /** A named source: a prior node, or one of the roots. */
  source(name: string): Found {
    if (name === 'inputs') return { found: true, value: this.run.inputs };
    if (name === 'params') return { found: true, value: this.params };
    if (name === 'saved') return { found: true, value: Object.fromEntries(this.run.saved) };
    if (name === 'item') return this.item();
    return this.outputOf(name);
  }

  read(source: string, keys: readonly string[]): Found {
    const root = this.source(source);
    return root.found ? readKeys(root.value, keys) : root;
  }

  /** For `when`, `unless`, `switch` and edges: without a source, all prior outputs by node id lie open. */
  values(): Values {
    return {
      find: (source, [first, ...rest]) => {
        if (source !== undefined) return this.read(source, first === undefined ? [] : [first, ...rest]);
        return first === undefined ? { found: false } : this.read(first, rest);
      },
      param: (name) => this.param(name),
    };
  }

  /** For a node's own assert: without a source, its output lies open. */
  valuesOver(output: unknown): Values {
    return {
      find: (source, keys) => (source === undefined || source === 'output' ? readKeys(output, keys) : this.read(source, keys)),
      param: (name) => this.param(name),
    };
  }

  lookup(): Lookup {
    return ([first = '', ...rest]) => {
      if (first === 'params' && rest.length > 0) return readKeys(this.params, rest);
      if (first === 'inputs' && rest.length > 0) return readKeys(this.run.inputs, rest);
      return readKeys(this.run.inputs, [first, ...rest]);
    };
  }

  /** The param of the flow, or the input, of this name. */
  param(name: string): Found {
    const given = readKeys(this.params, [name]);
    return given.found ? given : readKeys(this.run.inputs, [name]);
  }
}
