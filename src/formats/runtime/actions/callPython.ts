// Python code of a manifest, in a process of its own: a logic node, or a router by its dotted name.

import type { ActionContext } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { buildChildEnv } from '../../../system/processes/runProcess.js';
import { type PythonAnswer, type PythonTask, runPython } from '../../../system/processes/runPython.js';
import type { RuntimeValues } from '../runtimeValues.js';
import { type NodeResult, parseAgentResult } from './parseAgentResult.js';
import type { ProjectHandlers } from './projectHandlers.js';

type PythonCall = { values: RuntimeValues; context: ActionContext };
/** `ms`: how long it may take, which `signal` sees to. */
type TimeBounds = { signal: AbortSignal; ms: number };

/** What it leaves in `result`, or what its one function gives; and what it changed of `state`. */
export async function callPythonLogic(
  handlers: ProjectHandlers,
  code: string,
  { values, context }: PythonCall,
): Promise<NodeResult> {
  const bounds = { signal: context.signal, ms: context.remainingMs() };
  const answer = await runTask(handlers, { do: 'run', code, values }, { context, ...bounds });
  const changed = findChanges(values.state, answer.state);
  const { output, update } = parseAgentResult('The logic', answer.result);
  return { output, update: { ...changed, ...update } };
}

export async function callPythonRouter(
  handlers: ProjectHandlers,
  name: string,
  { values, context, ...bounds }: PythonCall & TimeBounds,
): Promise<unknown> {
  const { projectRoot: root } = context;
  return (await runTask(handlers, { do: 'call', name, root, values }, { context, ...bounds })).result;
}

type PythonResult = Extract<PythonAnswer, { result: unknown }>;

async function runTask(
  { python }: ProjectHandlers,
  task: PythonTask,
  { context, signal, ms }: Omit<PythonCall, 'values'> & TimeBounds,
): Promise<PythonResult> {
  const options = typeof python === 'object' ? python : {};
  const { projectRoot, runId, path, openMasker } = context;
  // No name is passed on: what a document brings along may not see what the project gives to its own programs.
  const answer = await runPython(task, {
    ...options,
    cwd: projectRoot,
    env: buildChildEnv({}),
    ...{ signal, ms },
    tag: `${runId}/${path}`,
    openMasker,
  });
  if ('result' in answer) return answer;
  if ('environment' in answer) throw new RecipeError('runtime.no_python', 'environment', answer.environment);
  throw new RecipeError('runtime.python_failed', 'action', answer.failure);
}

function findChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const isNew = ([key, value]: [string, unknown]): boolean =>
    !Object.hasOwn(before, key) || JSON.stringify(before[key]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(after).filter(isNew));
}
