// Runs a command template for a calling program, without a package: by the rules of the reference (`compat`), or by our own.
import { randomUUID } from 'node:crypto';
import { readDocument } from '../../document/readDocument.js';
import { planRecipe } from '../../engine/planRecipe.js';
import { openJournal } from '../../evidence/journal.js';
import { createBoundActions } from '../../formats/template/actions/boundActions.js';
import { spawnCommand } from '../../formats/template/actions/spawnCommand.js';
import { type ArgDeclarations, type ArgType, checkDeclarations, coerceValues } from '../../formats/template/argDeclarations.js';
import { type BoundRecipe, compileBoundRecipe } from '../../formats/template/boundRecipe.js';
import type { Call, Exec } from '../../formats/template/call.js';
import { type TemplateNode, toRootNode } from '../../formats/template/model.js';
import type { Outcome } from '../../formats/template/outcome.js';
import { maxBranches, type ResolveSettings } from '../../formats/template/resolveNode.js';
import { riskWarnings } from '../../formats/template/riskWarnings.js';
import { type TemplateRun, toError, toRun } from '../../formats/template/templateRun.js';
import type { Layer } from '../../formats/template/templateValues.js';
import type { Registry } from '../../registry/registry.js';
import { noSecrets } from '../../run/inputs/readSecrets.js';
import type { Job } from '../../run/job.js';
import { defaultTeardownMs } from '../../run/job.js';
import { Session } from '../../run/session.js';
import { systemClock } from '../../system/clock.js';
import { sweepRun } from '../../system/processes/killTree.js';
import { plainHost } from './plainHost.js';

export type RunTemplateOptions = {
  /** Behaves as the reference does, verdict included. */
  compat?: boolean;
  cwd?: string;
  args?: ArgDeclarations;
  defaults?: Layer;
  /** Argument types in addition to those that `args` declares. */
  argTypes?: Readonly<Record<string, ArgType>>;
  signal?: AbortSignal;
  env?: Readonly<Record<string, string>>;
  passEnv?: readonly string[];
  maxParallel?: number;
  /** Starts the commands. A dry run passes a function that starts none. */
  exec?: Exec;
};

/** Reports a problem of the template, the values or the commands in its result, and does not throw. */
export async function runTemplate(template: unknown, values: Layer, options: RunTemplateOptions = {}): Promise<TemplateRun> {
  const { compat = false, signal = new AbortController().signal } = options;
  const calls: Call[] = [];
  try {
    const node = addEnvelope(toRootNode(template), options);
    const bound = compileBoundRecipe({ node, inherited: {} }, resolveSettings(node, values, options));
    const outcome = await runBound(bound, { ...options, compat, signal, calls });
    return toRun(outcome, { calls, compat, warnings: riskWarnings(node), isAborted: signal.aborted });
  } catch (thrown) {
    return toError(thrown, calls);
  }
}

function addEnvelope(root: TemplateNode, { args, defaults }: RunTemplateOptions): TemplateNode {
  if (args === undefined && defaults === undefined) return root;
  const merged = { ...defaults, ...root.defaults };
  return { ...root, args: root.args ?? args, ...(defaults || root.defaults ? { defaults: merged } : {}) };
}

function resolveSettings({ args }: TemplateNode, values: Layer, options: RunTemplateOptions): ResolveSettings {
  const { compat = false, cwd = process.cwd(), maxParallel = maxBranches, argTypes = {} } = options;
  const declared = compat ? [] : checkDeclarations(args).map(({ name, type }) => [name, type] as const);
  const callerValues = coerceValues(new Map([...declared, ...Object.entries(argTypes)]), values);
  return { callerValues, compat, cwd, maxParallel };
}

type BoundRunOptions = RunTemplateOptions & { compat: boolean; signal: AbortSignal; calls: Call[] };

/** `left`: the processes that the commands left running. */
async function runBound(bound: BoundRecipe, options: BoundRunOptions): Promise<Outcome & { left: readonly string[] }> {
  const { compat, signal, calls, cwd = process.cwd(), env, passEnv } = options;
  const runId = `template-${randomUUID()}`;
  // In compat mode, processes outlive the run: the session only ends processes that carry its own run id.
  const exec = options.exec ?? spawnCommand({ cwd, compat, runId: compat ? `compat-${runId}` : runId, env, passEnv });
  let refuse: (thrown: unknown) => void = () => undefined;
  const refused = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  const { actions, getOutcome } = createBoundActions({ ...bound, exec, compat, signal, calls, refuse });
  const session = new Session(createJob(bound, new Map(actions.map((action) => [action.name, action])), { cwd, runId }));
  const interrupt = (): void => session.interrupt({ why: 'the caller aborted the run' });
  if (!compat) signal.addEventListener('abort', interrupt, { once: true });
  if (!compat && signal.aborted) interrupt();
  let remaining: readonly string[] = [];
  const end = async (): Promise<void> => {
    await session.runGraph();
    if (!compat && !options.exec) remaining = await sweepRun(runId);
    await session.close();
  };
  try {
    await Promise.race([end(), refused]);
    return { ...getOutcome(), left: remaining };
  } catch (thrown) {
    // In compat mode, the commands that run in parallel to the refused one continue.
    if (!compat) session.interrupt({ why: 'a command could not be started' });
    if (!compat && !options.exec) await sweepRun(runId);
    throw thrown;
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

/** The depth, width and length of a template are not limited. */
const limits = {
  visitsPerNode: Number.POSITIVE_INFINITY,
  stepsPerRun: Number.POSITIVE_INFINITY,
  callDepth: Number.POSITIVE_INFINITY,
};

function createJob({ recipe }: BoundRecipe, registry: Registry, { cwd, runId }: { cwd: string; runId: string }): Job {
  const plan = planRecipe(
    recipe,
    { nextOf: () => ({ kind: 'none' }), bodyOf: (node, flows) => registry.get(node.action)?.planRegion?.(node, flows) },
    limits,
  );
  const { document } = readDocument('template.json', Buffer.from('{}'));
  if (!document) throw new Error('An empty document could not be read.');
  const compiled: Job['loaded']['compiled'] = {
    kind: 'recipe',
    recipe,
    origin: document.place,
    findings: [],
    removedPointers: [],
    availableFlows: [],
    isLiteral: true,
  };
  return {
    id: 'template',
    loaded: { document, compiled, plan },
    registry,
    operators: new Map(),
    stateRefs: new Map(),
    host: plainHost(() => undefined, {}, plan),
    // There is no package: the caller gets the result of the run.
    journal: openJournal(systemClock, () => undefined),
    clock: systemClock,
    projectRoot: cwd,
    tree: { top: cwd },
    inputs: {},
    secrets: noSecrets,
    runId,
    passEnv: [],
    ask: async () => undefined,
    allowBlocked: false,
    attempt: 0,
    nodeTimeoutMs: Number.POSITIVE_INFINITY,
    teardownMs: defaultTeardownMs,
  };
}
