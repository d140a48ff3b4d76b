// The state of one running manifest: its values, its memory and its limits.
import type { ActionContext, FieldSchema } from '../../../actions/action.js';
import { createSchemaCheck } from '../../../actions/jsonSchema.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import type { RuntimeValues } from '../runtimeValues.js';
import type { NodeIdentity } from './fields.js';
import { partialSchema } from './partialSchema.js';

type Dict = Readonly<Record<string, unknown>>;

type InstanceOptions = {
  recipe: string;
  inputs: Dict;
  parameters: Dict;
  state: Dict;
  schemas: readonly Dict[];
  maxSteps?: number | undefined;
  persistent: boolean;
};

export class ManifestInstance {
  private readonly memory: TopologyMemory;
  private readonly items = new Map<string, TopologyMemory>();
  /** The schemas during the run, when required keys may still be missing. */
  private readonly partialSchemas: readonly Dict[];
  /** The initial values of the items of a map, by the run path of the map. */
  private readonly seeds = new Map<string, Pick<RuntimeValues, 'state' | 'nodes'>>();
  private steps = 0;
  /** The run paths of the nodes that a person has rejected. */
  readonly refusals = new Set<string>();

  constructor(readonly options: InstanceOptions) {
    this.memory = new TopologyMemory(options.state);
    this.partialSchemas = options.schemas.map((schema) => partialSchema(schema));
    this.check(options.state, this.partialSchemas, 'The initial state');
  }

  values(self: NodeIdentity, { path, read }: Pick<ActionContext, 'path' | 'read'>): RuntimeValues {
    const memory = this.memoryOf(self, path);
    const item = self.item === undefined ? undefined : read('item', []);
    const { inputs, parameters } = this.options;
    const nodes = Object.fromEntries(memory.outputs);
    const values = structuredClone({ state: memory.readVisibleState(self), inputs, parameters, nodes });
    return item?.found ? { ...values, item: structuredClone(item.value) } : values;
  }

  /** Whether a schema of the state declares the key. */
  declaresKey(key: string): boolean {
    return this.options.schemas.some(({ properties }) => {
      return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, key);
    });
  }

  /** @throws RecipeError when the manifest has used all its steps */
  countStep(path: string): void {
    // A retry does not count as a step. The check still runs, so that a retry cannot pass the limit.
    if (!/@\d+$/.test(path)) this.steps++;
    this.checkStepLimit(this.steps);
  }

  /**
   * Checks that the manifest has a step left. Called before the inner nodes of a node run, because the node counts its step after
   * them.
   * @throws RecipeError when the manifest has used all its steps
   */
  requireStepLeft(): void {
    this.checkStepLimit(this.steps + 1);
  }

  private checkStepLimit(steps: number): void {
    const { maxSteps, recipe } = this.options;
    if (maxSteps === undefined || steps <= maxSteps) return;
    const message = `${JSON.stringify(recipe)} has used all ${maxSteps} steps of policy.max_steps. Raise the limit, or end the loop earlier.`;
    throw new RecipeError('runtime.max_steps', 'action', message);
  }

  /** Sets the initial values of the items of a map: the values that are visible to the map. */
  seedItems(mapPath: string, values: Pick<RuntimeValues, 'state' | 'nodes'>): void {
    this.seeds.set(mapPath, values);
  }

  /** Saves the output of a node and its changes of the state. */
  saveResult(self: NodeIdentity, path: string, { output, update }: { output: unknown; update?: Dict | undefined }): void {
    const memory = this.memoryOf(self, path);
    if (update && Object.keys(update).length > 0) {
      this.check({ ...memory.readWholeState(), ...update }, this.partialSchemas, `The state after ${JSON.stringify(self.node)}`);
      memory.change(self, update);
    }
    memory.outputs.set(self.node, output);
  }

  /** Returns the state and the outputs after the end of the topology. */
  readFinalState(): { state: Dict; outputs: Dict } {
    const state = this.memory.readWholeState();
    this.check(state, this.options.schemas, 'The final state');
    return { state, outputs: Object.fromEntries(this.memory.outputs) };
  }

  /** Each item of a map has a separate memory, so that items do not affect each other. */
  private memoryOf(self: NodeIdentity, path: string): TopologyMemory {
    if (self.item === undefined) return this.memory;
    const key = path.split('/').slice(0, self.item).join('/');
    const known = this.items.get(key);
    if (known) return known;
    const map = path
      .split('/')
      .slice(0, self.item - 2)
      .join('/');
    const { state, nodes } = this.seeds.get(map) ?? { state: {}, nodes: {} };
    const memory = new TopologyMemory(state, new Map(Object.entries(nodes)));
    this.items.set(key, memory);
    return memory;
  }

  /** `subject` names the state in the message, such as "The final state". */
  private check(state: Dict, schemas: readonly Dict[], subject: string): void {
    for (const schema of schemas) {
      const problem = findSchemaProblem(schema, state);
      if (problem === undefined) continue;
      const message = `${subject} does not match its schema: ${problem}. Correct the result of the node, or the schema.`;
      throw new RecipeError('runtime.state_mismatch', 'assertion', message);
    }
  }
}

/** Describes the first problem of a value, or of the schema itself. */
export function findSchemaProblem(schema: Dict, value: unknown): string | undefined {
  const check = createSchemaCheck(schema);
  if ('problem' in check) return `the schema cannot be used (${check.problem})`;
  const [first] = check.findProblems(value);
  return first && `${first.keys.length > 0 ? `${JSON.stringify(first.keys.join('.'))} ` : ''}${first.message}`;
}

/** Describes the first schema that is not a valid JSON Schema. */
export function findUnusableSchema(schemas: readonly FieldSchema[]): string | undefined {
  for (const { label, schema } of schemas) {
    const check = createSchemaCheck(schema);
    if ('problem' in check) return `${label} is not a valid JSON Schema: ${check.problem}`;
  }
  return undefined;
}

/** The running manifests, by run id and run path. */
export class ManifestInstances {
  private readonly instances = new Map<string, ManifestInstance>();

  open(runId: string, path: string, instance: ManifestInstance): void {
    this.instances.set(`${runId} ${path}`, instance);
  }

  close(runId: string, path: string): void {
    this.instances.delete(`${runId} ${path}`);
  }

  get({ level }: Pick<NodeIdentity, 'level'>, { runId, path }: Pick<ActionContext, 'runId' | 'path'>): ManifestInstance {
    const instance = this.instances.get(`${runId} ${instancePath(level, path)}`);
    if (instance) return instance;
    const message = `${path} belongs to a manifest whose state was not opened. Run the whole compiled recipe, which opens the state first.`;
    throw new RecipeError('runtime.not_open', 'harness', message);
  }
}

export function instancePath(level: number, path: string): string {
  return path.split('/').slice(0, level).join('/');
}

// The shared memory of a topology. The changes of a node become visible to other nodes when its layer ends.

type StateValues = Readonly<Record<string, unknown>>;
type Change = { node: string; layer: number; update: StateValues };

class TopologyMemory {
  private changes: Change[] = [];

  constructor(
    private state: StateValues,
    readonly outputs: Map<string, unknown> = new Map(),
  ) {}

  /** Returns the state that is visible to a node: all changes except those of other nodes in the same layer. */
  readVisibleState({ node, layer }: NodeIdentity): StateValues {
    const isVisible = (change: Change): boolean => change.layer !== layer || change.node === node;
    for (const { update } of this.changes.filter(isVisible)) this.state = { ...this.state, ...update };
    this.changes = this.changes.filter((change) => !isVisible(change));
    return this.state;
  }

  /** Returns the state with all changes, for checks and for the end of the topology. */
  readWholeState(): StateValues {
    return Object.fromEntries([this.state, ...this.changes.map(({ update }) => update)].flatMap((part) => Object.entries(part)));
  }

  change({ node, layer }: NodeIdentity, update: StateValues): void {
    for (const key of Object.keys(update)) {
      const other = this.changes.find(
        (change) => change.layer === layer && change.node !== node && Object.hasOwn(change.update, key),
      );
      if (!other) continue;
      const message = `${JSON.stringify(node)} and ${JSON.stringify(other.node)} both change ${JSON.stringify(key)} of the state in the same layer, so the final value is undefined. Let only one of them change the key, or return { output, state } with other keys.`;
      throw new RecipeError('runtime.state_conflict', 'action', message);
    }
    this.changes.push({ node, layer, update });
  }
}
