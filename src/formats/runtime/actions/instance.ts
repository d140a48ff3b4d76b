// One manifest that is being run: its values, its memory and its limits.

import type { ActionContext, HeldSchema } from '../../../actions/action.js';
import { checkBySchema } from '../../../actions/jsonSchema.js';
import { RecipeError } from '../../../evidence/failure.js';
import type { RuntimeValues } from '../values.js';
import type { Self } from './fields.js';
import { Memory } from './memory.js';
import { partialSchema } from './partialSchema.js';

type Dict = Readonly<Record<string, unknown>>;

export type Opening = {
  recipe: string;
  inputs: Dict;
  parameters: Dict;
  state: Dict;
  schemas: readonly Dict[];
  maxSteps?: number | undefined;
  persistent: boolean;
};

export class Instance {
  private readonly memory: Memory;
  private readonly items = new Map<string, Memory>();
  /** While it runs, keys that must be there may still come. */
  private readonly partial: readonly Dict[];
  /** What the items of a map begin with, by the run path of the map. */
  private readonly seeds = new Map<string, Pick<RuntimeValues, 'state' | 'nodes'>>();
  private steps = 0;
  /** What a person said no to, by run path. */
  readonly refusals = new Set<string>();

  constructor(readonly opening: Opening) {
    this.memory = new Memory(opening.state);
    this.partial = opening.schemas.map((schema) => partialSchema(schema));
    this.check(opening.state, this.partial, 'The state it begins with');
  }

  values(self: Self, { path, read }: Pick<ActionContext, 'path' | 'read'>): RuntimeValues {
    const memory = this.memoryOf(self, path);
    const item = self.item === undefined ? undefined : read('item', []);
    const { inputs, parameters } = this.opening;
    const nodes = Object.fromEntries(memory.outputs);
    const seen = structuredClone({ state: memory.seenBy(self), inputs, parameters, nodes });
    return item?.found ? { ...seen, item: structuredClone(item.value) } : seen;
  }

  /** Whether its schema knows this key. */
  declares(key: string): boolean {
    return this.opening.schemas.some(({ properties }) => {
      return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, key);
    });
  }

  /** @throws when the manifest allows no more steps */
  step(path: string): void {
    // Another try is no other step; but one that was refused is not taken by trying again.
    if (!/@\d+$/.test(path)) this.steps++;
    this.allow(this.steps);
  }

  /** Before what runs inside of a node, whose own step counts once that is done. @throws when there is none left for it */
  roomForStep(): void {
    this.allow(this.steps + 1);
  }

  private allow(steps: number): void {
    const { maxSteps, recipe } = this.opening;
    if (maxSteps === undefined || steps <= maxSteps) return;
    const message = `${JSON.stringify(recipe)} may take ${maxSteps} steps (policy.max_steps), and this would be one more. Raise it, or end the loop earlier.`;
    throw new RecipeError('runtime.max_steps', 'action', message);
  }

  /** The items of the map at this path begin with what the map sees. */
  seed(mapPath: string, values: Pick<RuntimeValues, 'state' | 'nodes'>): void {
    this.seeds.set(mapPath, values);
  }

  /** Takes over what a node gave. */
  keep(self: Self, path: string, { output, update }: { output: unknown; update?: Dict | undefined }): void {
    const memory = this.memoryOf(self, path);
    if (update && Object.keys(update).length > 0) {
      this.check({ ...memory.whole(), ...update }, this.partial, `What ${JSON.stringify(self.node)} made of the state`);
      memory.change(self, update);
    }
    memory.outputs.set(self.node, output);
  }

  /** The state and the outputs when the topology has ended. */
  ended(): { state: Dict; outputs: Dict } {
    const state = this.memory.whole();
    this.check(state, this.opening.schemas, 'The state at the end');
    return { state, outputs: Object.fromEntries(this.memory.outputs) };
  }

  /** Items of a map have a memory of their own, so that they do not disturb each other. */
  private memoryOf(self: Self, path: string): Memory {
    if (self.item === undefined) return this.memory;
    const key = path.split('/').slice(0, self.item).join('/');
    const known = this.items.get(key);
    if (known) return known;
    const map = path
      .split('/')
      .slice(0, self.item - 2)
      .join('/');
    const { state, nodes } = this.seeds.get(map) ?? { state: {}, nodes: {} };
    const made = new Memory(state, new Map(Object.entries(nodes)));
    this.items.set(key, made);
    return made;
  }

  private check(state: Dict, schemas: readonly Dict[], what: string): void {
    for (const schema of schemas) {
      const problem = problemBy(schema, state);
      if (problem === undefined) continue;
      const message = `${what} does not fit its schema: ${problem}. Correct what the node gives, or the schema.`;
      throw new RecipeError('runtime.state_mismatch', 'assertion', message);
    }
  }
}

/** What is wrong with a value, or with the schema itself. */
export function problemBy(schema: Dict, value: unknown): string | undefined {
  const check = checkBySchema(schema);
  if ('problem' in check) return `the schema cannot be used (${check.problem})`;
  const [first] = check.problemsWith(value);
  return first && `${first.keys.length > 0 ? `${JSON.stringify(first.keys.join('.'))} ` : ''}${first.message}`;
}

/** Why the first that is none can never be held to anything. */
export function unusable(schemas: readonly HeldSchema[]): string | undefined {
  for (const { what, schema } of schemas) {
    const check = checkBySchema(schema);
    if ('problem' in check) return `${what} is no JSON Schema that could be used: ${check.problem}`;
  }
  return undefined;
}

/** The manifests that run now, by run and run path. */
export class Instances {
  private readonly known = new Map<string, Instance>();

  open(runId: string, path: string, instance: Instance): void {
    this.known.set(`${runId} ${path}`, instance);
  }

  close(runId: string, path: string): void {
    this.known.delete(`${runId} ${path}`);
  }

  of({ level }: Pick<Self, 'level'>, { runId, path }: Pick<ActionContext, 'runId' | 'path'>): Instance {
    const found = this.known.get(`${runId} ${instancePath(level, path)}`);
    if (found) return found;
    const message = `${path} belongs to a manifest whose state was not opened. Run the whole recipe that compile wrote.`;
    throw new RecipeError('runtime.not_open', 'harness', message);
  }
}

export function instancePath(level: number, path: string): string {
  return path.split('/').slice(0, level).join('/');
}
