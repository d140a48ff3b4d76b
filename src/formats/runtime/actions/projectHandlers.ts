// What a project registers by name for runtime recipes: agents, logic, routers, and whether Python may run.

import { RecipeError, toRecipeError } from '../../../evidence/recipeError.js';
import type { RuntimeValues } from '../runtimeValues.js';

/** What an agent is told; all of it is a copy. */
export type AgentRequest = RuntimeValues & {
  agent: string;
  node: string;
  system_prompt?: string;
  config: Readonly<Record<string, unknown>>;
  overrides: Readonly<Record<string, unknown>>;
  /** It is asked for its vote in a council. */
  vote?: true;
};

type HandlerContext = { signal: AbortSignal; projectRoot: string };

/** What it gives is its output; an object is also what changes in the state. `{ output, state }` tells the two apart. */
type AgentHandler = (request: AgentRequest, context: HandlerContext) => unknown;

/** A program that reads the request as JSON on stdin and writes its answer as JSON on stdout. */
export type AgentProgram = { argv: readonly [string, ...string[]]; env?: Readonly<Record<string, string>> };

export type Agent = { name: string; run: AgentHandler } | ({ name: string } & AgentProgram);

type LogicHandler = (values: RuntimeValues, context: HandlerContext) => unknown;
export type Logic = { name: string; run: LogicHandler };

/** Gives the key of the mapping to follow. */
type RouterHandler = (values: RuntimeValues, context: HandlerContext) => unknown;
export type Router = { name: string; route: RouterHandler };

type PythonOptions = { program?: string | undefined; memoryMb?: number | undefined };

/** Keeps the state of a recipe between runs. */
export type StateDir = {
  load(recipe: string): Record<string, unknown> | undefined;
  save(recipe: string, state: Readonly<Record<string, unknown>>): void;
};

export type ProjectHandlers = {
  agents?: readonly Agent[];
  logic?: readonly Logic[];
  routers?: readonly Router[];
  /** Code of a document runs only when the project says so. */
  python?: boolean | PythonOptions | undefined;
  openStateDir?: (projectRoot: string) => StateDir;
};

export function defineAgent(name: string, agent: AgentHandler | AgentProgram): Agent {
  requireName('agent', name);
  return typeof agent === 'function' ? { name, run: agent } : { name, ...agent };
}

/** For logic nodes whose `code` is this name. */
export function defineLogic(name: string, run: LogicHandler): Logic {
  requireName('logic', name);
  return { name, run };
}

export function defineRouter(name: string, route: RouterHandler): Router {
  requireName('router', name);
  return { name, route };
}

function requireName(kind: string, name: unknown): void {
  if (typeof name === 'string' && name.trim() !== '') return;
  const actual = JSON.stringify(name) ?? 'nothing';
  throw new TypeError(`The ${kind} has ${actual} as its name. Give it the name that manifests use.`);
}

/** What runs Python code of this project. */
export function pythonProgram({ python }: Pick<ProjectHandlers, 'python'>): string {
  return (typeof python === 'object' ? python.program : undefined) ?? 'python3';
}

export function isPythonOn({ python }: Pick<ProjectHandlers, 'python'>): boolean {
  return python !== undefined && python !== false;
}

// Calls a function that a project registered for its manifests.

/** What it throws is a failure of what is tested, as it is for a program that ends with an error. */
export async function callHandler<T>(who: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof RecipeError) throw thrown;
    const { code, kind, message } = toRecipeError(thrown);
    if (kind === 'assertion') throw new RecipeError(code, kind, `${who}: ${message}`, undefined, { cause: thrown });
    throw new RecipeError('runtime.handler_failed', 'action', `${who} failed: ${message}`, undefined, { cause: thrown });
  }
}
