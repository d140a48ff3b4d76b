// The agents, logic and routers that a project registers by name for runtime recipes, and its Python settings.

import { RecipeError, toRecipeError } from '../../../evidence/recipeError.js';
import type { RuntimeValues } from '../runtimeValues.js';

/** The request to an agent. All values are copies. */
export type AgentRequest = RuntimeValues & {
  agent: string;
  node: string;
  system_prompt?: string;
  config: Readonly<Record<string, unknown>>;
  overrides: Readonly<Record<string, unknown>>;
  /** Set when the answer is a vote in a council. */
  vote?: true;
};

type HandlerContext = { signal: AbortSignal; projectRoot: string };

/** Returns the output. An object also changes the state. `{ output, state }` sets both separately. */
type AgentHandler = (request: AgentRequest, context: HandlerContext) => unknown;

/** A program that reads the request as JSON on stdin and writes its answer as JSON on stdout. */
export type AgentProgram = { argv: readonly [string, ...string[]]; env?: Readonly<Record<string, string>> };

export type Agent = { name: string; run: AgentHandler } | ({ name: string } & AgentProgram);

type LogicHandler = (values: RuntimeValues, context: HandlerContext) => unknown;
export type Logic = { name: string; run: LogicHandler };

/** Returns the key of the mapping to follow. */
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
  /** Python code of a document runs only when the project turns it on. */
  python?: boolean | PythonOptions | undefined;
  openStateDir?: (projectRoot: string) => StateDir;
};

export function defineAgent(name: string, agent: AgentHandler | AgentProgram): Agent {
  requireName('agent', name);
  return typeof agent === 'function' ? { name, run: agent } : { name, ...agent };
}

/** Registers a function for logic nodes whose `code` is this name. */
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
  const actual = JSON.stringify(name) ?? 'undefined';
  throw new TypeError(
    `The name of the ${kind} is ${actual}, but it must be a non-empty string. Use the name that manifests refer to.`,
  );
}

/** Returns the program that runs Python code in this project. */
export function pythonProgram({ python }: Pick<ProjectHandlers, 'python'>): string {
  return (typeof python === 'object' ? python.program : undefined) ?? 'python3';
}

export function isPythonOn({ python }: Pick<ProjectHandlers, 'python'>): boolean {
  return python !== undefined && python !== false;
}

/** Calls a registered function. An error of the function fails the action, like the error of a program. */
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
