// One manifest that is being run: its values, its memory and its limits.
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
  /** While it runs, keys that must be there may still come. */
  private readonly partialSchemas: readonly Dict[];
  /** What the items of a map begin with, by the run path of the map. */
  private readonly seeds = new Map<string, Pick<RuntimeValues, 'state' | 'nodes'>>();
  private steps = 0;
  /** What a person said no to, by run path. */
  readonly refusals = new Set<string>();

  constructor(readonly options: InstanceOptions) {
    this.memory = new TopologyMemory(options.state);
    this.partialSchemas = options.schemas.map((schema) => partialSchema(schema));
    this.check(options.state, this.partialSchemas, 'The state it begins with');
  }

  values(self: NodeIdentity, { path, read }: Pick<ActionContext, 'path' | 'read'>): RuntimeValues {
    const memory = this.memoryOf(self, path);
    const item = self.item === undefined ? undefined : read('item', []);
    const { inputs, parameters } = this.options;
    const nodes = Object.fromEntries(memory.outputs);
    const seen = structuredClone({ state: memory.readVisibleState(self), inputs, parameters, nodes });
    return item?.found ? { ...seen, item: structuredClone(item.value) } : seen;
  }

  /** Whether its schema knows this key. */
  declaresKey(key: string): boolean {
    return this.options.schemas.some(({ properties }) => {
      return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, key);
    });
  }

  /** @throws when the manifest allows no more steps */
  countStep(path: string): void {
    // Another try is no other step; but one that was refused is not taken by trying again.
    if (!/@\d+$/.test(path)) this.steps++;
    this.checkStepLimit(this.steps);
  }

  /** Before what runs inside of a node, whose own step counts once that is done. @throws when there is none left for it */
  requireStepLeft(): void {
    this.checkStepLimit(this.steps + 1);
  }

  private checkStepLimit(steps: number): void {
    const { maxSteps, recipe } = this.options;
    if (maxSteps === undefined || steps <= maxSteps) return;
    const message = `${JSON.stringify(recipe)} may take ${maxSteps} steps (policy.max_steps), and this would be one more. Raise it, or end the loop earlier.`;
    throw new RecipeError('runtime.max_steps', 'action', message);
  }

  /** The items of the map at this path begin with what the map sees. */
  seedItems(mapPath: string, values: Pick<RuntimeValues, 'state' | 'nodes'>): void {
    this.seeds.set(mapPath, values);
  }

  /** Takes over what a node gave. */
  saveResult(self: NodeIdentity, path: string, { output, update }: { output: unknown; update?: Dict | undefined }): void {
    const memory = this.memoryOf(self, path);
    if (update && Object.keys(update).length > 0) {
      this.check(
        { ...memory.readWholeState(), ...update },
        this.partialSchemas,
        `What ${JSON.stringify(self.node)} made of the state`,
      );
      memory.change(self, update);
    }
    memory.outputs.set(self.node, output);
  }

  /** The state and the outputs when the topology has ended. */
  readFinalState(): { state: Dict; outputs: Dict } {
    const state = this.memory.readWholeState();
    this.check(state, this.options.schemas, 'The state at the end');
    return { state, outputs: Object.fromEntries(this.memory.outputs) };
  }

  /** Items of a map have a memory of their own, so that they do not disturb each other. */
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
    const made = new TopologyMemory(state, new Map(Object.entries(nodes)));
    this.items.set(key, made);
    return made;
  }

  private check(state: Dict, schemas: readonly Dict[], what: string): void {
    for (const schema of schemas) {
      const problem = findSchemaProblem(schema, state);
      if (problem === undefined) continue;
      const message = `${what} does not fit its schema: ${problem}. Correct what the node gives, or the schema.`;
      throw new RecipeError('runtime.state_mismatch', 'assertion', message);
    }
  }
}

/** What is wrong with a value, or with the schema itself. */
export function findSchemaProblem(schema: Dict, value: unknown): string | undefined {
  const check = createSchemaCheck(schema);
  if ('problem' in check) return `the schema cannot be used (${check.problem})`;
  const [first] = check.findProblems(value);
  return first && `${first.keys.length > 0 ? `${JSON.stringify(first.keys.join('.'))} ` : ''}${first.message}`;
}

/** Why the first that is none can never be held to anything. */
export function findUnusableSchema(schemas: readonly FieldSchema[]): string | undefined {
  for (const { label, schema } of schemas) {
    const check = createSchemaCheck(schema);
    if ('problem' in check) return `${label} is no JSON Schema that could be used: ${check.problem}`;
  }
  return undefined;
}

/** The manifests that run now, by run and run path. */
export class ManifestInstances {
  private readonly instances = new Map<string, ManifestInstance>();

  open(runId: string, path: string, instance: ManifestInstance): void {
    this.instances.set(`${runId} ${path}`, instance);
  }

  close(runId: string, path: string): void {
    this.instances.delete(`${runId} ${path}`);
  }

  get({ level }: Pick<NodeIdentity, 'level'>, { runId, path }: Pick<ActionContext, 'runId' | 'path'>): ManifestInstance {
    const found = this.instances.get(`${runId} ${instancePath(level, path)}`);
    if (found) return found;
    const message = `${path} belongs to a manifest whose state was not opened. Run the whole recipe that compile wrote.`;
    throw new RecipeError('runtime.not_open', 'harness', message);
  }
}

export function instancePath(level: number, path: string): string {
  return path.split('/').slice(0, level).join('/');
}

// The shared memory of a topology: what nodes change becomes visible when their layer has ended.

type StateValues = Readonly<Record<string, unknown>>;
type Change = { node: string; layer: number; update: StateValues };

class TopologyMemory {
  private changes: Change[] = [];

  constructor(
    private state: StateValues,
    readonly outputs: Map<string, unknown> = new Map(),
  ) {}

  /** What a node sees: all that was changed but what others in its own layer change. */
  readVisibleState({ node, layer }: NodeIdentity): StateValues {
    const isOver = (change: Change): boolean => change.layer !== layer || change.node === node;
    for (const { update } of this.changes.filter(isOver)) this.state = { ...this.state, ...update };
    this.changes = this.changes.filter((change) => !isOver(change));
    return this.state;
  }

  /** All of it, for those who come when nothing runs any more. */
  readWholeState(): StateValues {
    return Object.fromEntries([this.state, ...this.changes.map(({ update }) => update)].flatMap((part) => Object.entries(part)));
  }

  change({ node, layer }: NodeIdentity, update: StateValues): void {
    for (const key of Object.keys(update)) {
      const other = this.changes.find(
        (change) => change.layer === layer && change.node !== node && Object.hasOwn(change.update, key),
      );
      if (!other) continue;
      const message = `${JSON.stringify(node)} and ${JSON.stringify(other.node)} both change ${JSON.stringify(key)} of the state in the same layer, so nobody can say which value counts. Let one of them give it, or return { output, state } with other keys.`;
      throw new RecipeError('runtime.state_conflict', 'action', message);
    }
    this.changes.push({ node, layer, update });
  }
}
