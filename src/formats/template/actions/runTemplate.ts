// A command template run from the program: in the manner of the reference, or honestly.
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../system/clock.js';
import { sweepRun } from '../../../system/processes/killTree.js';
import { type ArgDeclarations, type ArgType, checkDeclarations, coerceValues } from '../argDeclarations.js';
import { type TemplateNode, toRootNode } from '../model.js';
import { checkNodes, maxBranches } from '../resolveNode.js';
import { riskWarnings } from '../riskWarnings.js';
import type { Layer } from '../templateValues.js';
import { executeNode } from './executeNode.js';
import type { Call, Exec, Execution } from './execution.js';
import type { Outcome } from './outcome.js';
import { spawnLeaf } from './spawnLeaf.js';
import { type TemplateRun, toError, toRun } from './templateRun.js';

export type RunTemplateOptions = {
  /** Behaves as the reference does, verdict included. */
  compat?: boolean;
  cwd?: string;
  args?: ArgDeclarations;
  defaults?: Layer;
  /** Types beside those that `args` declare. */
  argTypes?: Readonly<Record<string, ArgType>>;
  signal?: AbortSignal;
  env?: Readonly<Record<string, string>>;
  passEnv?: readonly string[];
  maxParallel?: number;
  /** Starts the commands; for rehearsals that start none. */
  exec?: Exec;
};

/** Never throws for what is wrong with template, values or commands: that is its result. */
export async function runTemplate(template: unknown, values: Layer, options: RunTemplateOptions = {}): Promise<TemplateRun> {
  const { compat = false, signal = new AbortController().signal } = options;
  const runId = `template-${randomUUID()}`;
  const calls: Call[] = [];
  try {
    const node = rootOf(template, options);
    const execution = executionOf(node, values, { options, calls, runId });
    const step = { node, site: {} };
    if (!compat) checkNodes(step, execution);
    const outcome = await executeNode(execution, step, { signal, isRoot: true });
    const left = compat || options.exec ? [] : await sweepRun(runId);
    return toRun(judged(outcome, left), { calls, compat, warnings: riskWarnings(node), isAborted: signal.aborted });
  } catch (thrown) {
    if (!compat && !options.exec) await sweepRun(runId);
    return toError(thrown, calls);
  }
}

// What a command left running would outlive the run, and nobody would know.
function judged(outcome: Outcome, left: readonly string[]): Outcome & { left: readonly string[] } {
  return { ...outcome, left };
}

function rootOf(template: unknown, { args, defaults }: RunTemplateOptions): TemplateNode {
  const root = toRootNode(template);
  if (args === undefined && defaults === undefined) return root;
  const merged = { ...defaults, ...root.defaults };
  return { ...root, args: root.args ?? args, ...(defaults || root.defaults ? { defaults: merged } : {}) };
}

type Parts = { options: RunTemplateOptions; calls: Call[]; runId: string };

function executionOf(node: TemplateNode, values: Layer, { options, calls, runId }: Parts): Execution {
  const { compat = false, cwd = process.cwd(), env, passEnv, maxParallel = maxBranches, argTypes = {} } = options;
  const declared = compat ? [] : checkDeclarations(node.args).map(({ name, type }) => [name, type] as const);
  const callerValues = coerceValues(new Map([...declared, ...Object.entries(argTypes)]), values);
  const exec = options.exec ?? spawnLeaf({ cwd, compat, runId, env, passEnv });
  return { exec, callerValues, compat, cwd, maxParallel, calls, wait };
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const withdraw = systemClock.after(ms, end);
    function end(): void {
      withdraw();
      signal.removeEventListener('abort', end);
      resolve();
    }
    signal.addEventListener('abort', end, { once: true });
  });
}
