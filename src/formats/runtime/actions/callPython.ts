// Runs Python code of a manifest in a separate process: the code of a logic node, or a router by its dotted name.

import type { ActionContext } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { buildChildEnv } from '../../../system/processes/runProcess.js';
import { type PythonAnswer, type PythonTask, runPython } from '../../../system/processes/runPython.js';
import type { RuntimeValues } from '../runtimeValues.js';
import { type NodeResult, parseAgentResult } from './parseAgentResult.js';
import type { ProjectHandlers } from './projectHandlers.js';

type PythonCall = { values: RuntimeValues; context: ActionContext };
/** `ms` is the time limit. `signal` aborts when the limit is reached. */
type TimeBounds = { signal: AbortSignal; ms: number };

/** Returns the variable `result` of the code or the return value of its only function, and the changed keys of `state`. */
export async function callPythonLogic(
  handlers: ProjectHandlers,
  code: string,
  { values, context }: PythonCall,
): Promise<NodeResult> {
  const bounds = { signal: context.signal, ms: context.remainingMs() };
  const answer = await runTask(handlers, { do: 'run', code, values }, { context, ...bounds });
  const stateChanges = findChanges(values.state, answer.state);
  const { output, update } = parseAgentResult('The logic', answer.result);
  return { output, update: { ...stateChanges, ...update } };
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
  // Passes no environment variables of the project: code from a document must not read them.
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
