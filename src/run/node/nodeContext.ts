// The context that an action receives. Its values are computed when the action reads them, since a run may have many nodes and most
// actions read few values.
import {
  type Action,
  type ActionContext,
  type BodyResult,
  type ManualAnswer,
  type ManualQuestion,
  needsOf,
  optionalNeedsOf,
} from '../../actions/action.js';
import type { Call } from '../../browser/pageCalls.js';
import { type Evaluation, evaluateAssertion } from '../../engine/evaluateAssertion.js';
import type { PathResult } from '../../engine/jsonPath.js';
import type { Assertion, Flow, RecipeNode } from '../../recipe/recipe.js';
import type { Clock } from '../../system/clock.js';
import type { OutputListener, StreamMasker } from '../../system/processes/runProcess.js';
import { type CapturedOutput, emptyOutput } from '../../system/processes/runProcess.js';
import type { HostStep } from '../host.js';
import { pickFixtures } from '../host.js';
import type { Job } from '../job.js';
import type { NodeExecution, Scheduler } from './nodeExecution.js';
import { fillAssertion, type PreparedNode } from './prepareNode.js';

export type NodeContextParts = {
  action: Action;
  prepared: PreparedNode;
  step: Pick<HostStep, 'call'>;
  deadline: number;
  body?: BodyResult | undefined;
};

export class NodeContext implements ActionContext {
  // Private at run time, and not only for the compiler: an action must not reach the secrets of the run or the fixtures of other actions.
  readonly #scheduler: Scheduler;
  readonly #execution: NodeExecution;
  readonly #parts: NodeContextParts;
  readonly #job: Job;

  constructor(scheduler: Scheduler, execution: NodeExecution, parts: NodeContextParts) {
    this.#scheduler = scheduler;
    this.#execution = execution;
    this.#parts = parts;
    this.#job = scheduler.job;
  }

  get node(): RecipeNode {
    const { assert } = this.#parts.prepared;
    return assert ? { ...this.#execution.node, assert } : this.#execution.node;
  }

  get path(): string {
    return this.#execution.run.path;
  }

  get signal(): AbortSignal {
    return this.#execution.stop.signal;
  }

  get clock(): Clock {
    return this.#job.clock;
  }

  get remainingMs(): () => number {
    return () => Math.max(1, Math.round(this.#parts.deadline - this.#job.clock.now()));
  }

  get fixtures(): Readonly<Record<string, unknown>> {
    const { action } = this.#parts;
    const { node } = this.#execution;
    const optionalNeeds = optionalNeedsOf(action, node);
    const needs = needsOf(action, node);
    return pickFixtures(this.#job.host.fixtures, optionalNeeds.length > 0 ? [...needs, ...optionalNeeds] : needs);
  }

  get projectRoot(): string {
    return this.#job.projectRoot;
  }

  get runId(): string {
    return this.#job.runId;
  }

  get passEnv(): readonly string[] {
    return this.#job.passEnv;
  }

  get baseURL(): string | undefined {
    return this.#job.baseURL;
  }

  get allowHosts(): ActionContext['allowHosts'] {
    return this.#job.allowHosts;
  }

  get services(): ActionContext['services'] {
    return this.#scheduler.run.services;
  }

  get inputs(): Readonly<Record<string, unknown>> {
    return this.#execution.scope.inputs;
  }

  get outputOf(): (nodeId: string) => PathResult {
    return (id) => this.#execution.scope.outputOf(id);
  }

  get read(): (source: string, keys: readonly string[]) => PathResult {
    return (source, keys) => this.#execution.scope.read(source, keys);
  }

  get param(): (name: string) => PathResult {
    return (name) => this.#execution.scope.param(name);
  }

  get evaluate(): ActionContext['evaluate'] {
    const { scope, node } = this.#execution;
    return (assertion, values): Evaluation =>
      values
        ? evaluateAssertion(assertion, { ...values, operators: this.#job.operators })
        : evaluateAssertion(fillAssertion(assertion, scope, node.templates), scope.values());
  }

  get call(): Call {
    return this.#parts.step.call;
  }

  get isSecret(): (value: unknown) => boolean {
    const { vault } = this.#job.secrets;
    return (value) => vault.maskJson(value) !== value;
  }

  get openMasker(): (() => StreamMasker) | undefined {
    const { vault } = this.#job.secrets;
    return vault.names.length > 0 ? () => vault.openStreamMasker() : undefined;
  }

  get output(): OutputListener | undefined {
    return this.#job.output;
  }

  get fileAtStart(): ActionContext['fileAtStart'] {
    return (path) => this.#scheduler.run.watchedFiles.get(this.#job.projectRoot, path);
  }

  get ask(): (question: ManualQuestion) => Promise<ManualAnswer | undefined> {
    return this.#job.ask;
  }

  get stdin(): CapturedOutput | undefined {
    const { input } = this.#execution.run;
    return input === undefined ? undefined : (this.#scheduler.streams.get(input) ?? emptyOutput());
  }

  get body(): BodyResult | undefined {
    return this.#parts.body;
  }

  // Fills the params of this call into the postcondition of its flow.
  get flows(): ReadonlyMap<string, Flow> {
    const { flows } = this.#job.loaded.compiled.recipe;
    const { ref } = this.#parts.prepared.fields;
    const flow = typeof ref === 'string' ? flows.get(ref) : undefined;
    if (!this.#execution.bodyScope || !flow?.postcondition) return flows;
    const postcondition: Assertion = fillAssertion(flow.postcondition, this.#execution.bodyScope);
    return postcondition === flow.postcondition ? flows : new Map([...flows, [flow.id, { ...flow, postcondition }]]);
  }
}
