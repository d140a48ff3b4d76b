// The state of one run of a flow-spec: its guarded browser, its findings, and the outcome of each step.
import type { BrowserContext, ConsoleMessage, Page, Response } from '@playwright/test';
import type { ActionContext } from '../../../actions/action.js';
import { pageOf } from '../../../actions/ui/withPageErrors.js';
import { runPagesOf } from '../../../browser/runPages.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import type { FailureClass } from '../failureClass.js';
import type { Severity } from '../model.js';
import { listAdmittedHosts } from '../network/admittedHosts.js';
import type { BlockedRequest, NavigationGuard } from '../network/navigationGuard.js';
import type { GuardProxy } from '../network/proxy.js';
import type { ResolvedSettings } from '../settings.js';
import { LoginTracker } from './loginTracker.js';
import { ResolverQuota } from './resolverQuota.js';

export type FlowPlan = {
  name: string;
  url: string;
  allowedHosts: readonly string[];
  steps: readonly Pick<StepRecord, 'id' | 'intent' | 'optional'>[];
  assertions: readonly string[];
};

type FailedNavigation = Pick<BlockedRequest, 'url' | 'why'>;

type AssertionRecord = { id: string; status: 'passed' | 'failed' | 'skipped'; severity?: Severity };

export class FlowRun {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly steps: StepRecord[];
  readonly assertions: AssertionRecord[];
  readonly findings: FlowFinding[] = [];
  readonly variables = new Map<string, string>();
  readonly pageErrors = new PageErrors(() => this.guard?.blocked ?? []);
  readonly quota: ResolverQuota;
  guard: NavigationGuard | undefined;
  proxy: GuardProxy | undefined;
  context: BrowserContext | undefined;
  /** The id of the running node. */
  currentNode = 'begin';
  /** The failed step that ended the flow. */
  halted: StepRecord | undefined;
  /** The number of elements that were guarded so far. */
  guardCount = 0;
  readonly login: LoginTracker;
  private checkedBlocks = 0;
  private readonly unanswered: FailedNavigation[] = [];

  constructor(
    plan: FlowPlan,
    readonly settings: ResolvedSettings,
  ) {
    this.name = plan.name;
    this.hosts = listAdmittedHosts(plan.url, plan.allowedHosts);
    this.steps = plan.steps.map((step) => ({ ...step, status: 'skipped' }));
    this.assertions = plan.assertions.map((id) => ({ id, status: 'skipped' }));
    this.quota = new ResolverQuota(settings);
    this.login = new LoginTracker(this.hosts);
  }

  page(context: ActionContext): Page {
    return pageOf(context);
  }

  /** Replaces the page of the host by a new page in the guarded context. */
  async usePage(hostPage: Page, context: BrowserContext): Promise<void> {
    this.context = context;
    context.on('console', (message) => this.pageErrors.addConsoleMessage(message));
    context.on('weberror', (error) => this.pageErrors.addUncaughtError(error.error()));
    context.on('request', (request) => this.login.trackRequestStart(request));
    context.on('requestfinished', (request) => this.login.trackRequestEnd(request));
    context.on('requestfailed', (request) => this.login.trackRequestEnd(request));
    context.on('response', (response) => this.login.trackResponse(response));
    context.on('response', (response) => this.trackUnanswered(response));
    runPagesOf(hostPage).switchTo(await context.newPage());
  }

  /** Records error responses of the proxy, which the browser shows as an empty page with the requested URL. */
  private trackUnanswered(response: Response): void {
    const reason = this.proxy?.explainUnanswered(response.headers());
    if (reason !== undefined && isMainFrameNavigation(response)) this.unanswered.push({ url: response.url(), why: reason });
  }

  /** Returns the first navigation that was blocked or unanswered since the last call. */
  takeFailedNavigation(): FailedNavigation | undefined {
    const blocked = this.guard?.blocked ?? [];
    const blockedNavigation = blocked.slice(this.checkedBlocks).find(({ what }) => what === 'navigation');
    this.checkedBlocks = blocked.length;
    const [firstUnanswered] = this.unanswered.splice(0);
    return blockedNavigation ?? firstUnanswered;
  }

  async close(): Promise<void> {
    // Fails when the browser is already closed.
    await this.context?.close().catch(() => undefined);
    await this.guard?.close();
    await this.proxy?.close();
  }
}

function isMainFrameNavigation(response: Response): boolean {
  try {
    return response.request().isNavigationRequest() && response.frame().parentFrame() === null;
  } catch {
    // Playwright has no frame for a very new page. Its request cannot belong to a child frame.
    return response.request().isNavigationRequest();
  }
}

/** The running flows, by run id. */
export class FlowRuns {
  private readonly runs = new Map<string, FlowRun>();

  constructor(readonly settings: ResolvedSettings) {}

  startRun({ runId }: ActionContext, plan: FlowPlan): FlowRun {
    const flow = new FlowRun(plan, this.settings);
    this.runs.set(runId, flow);
    return flow;
  }

  findRun({ runId }: ActionContext): FlowRun | undefined {
    return this.runs.get(runId);
  }

  getRun(context: ActionContext): FlowRun {
    const flow = this.findRun(context);
    if (flow) return flow;
    const message = `${context.node.action} runs outside a flow. Start with rw.flow_open, as compiled flow-specs do.`;
    throw new RecipeError('flow_spec.no_flow', 'harness', message);
  }

  endRun({ runId }: ActionContext): void {
    this.runs.delete(runId);
  }
}

export type StepRecord = {
  id: string;
  intent: string;
  optional?: boolean | undefined;
  status: 'passed' | 'failed' | 'skipped';
  failure_class?: FailureClass | undefined;
  message?: string;
  url?: string;
  resolved?: unknown;
};
export type FindingEvidence = { url: string; selector?: string; detail?: string };
export type FlowFinding = {
  status: 'verified' | 'advisory';
  severity: Severity;
  /** The id of the step or assertion. */
  node: string;
  message: string;
  failure_class?: FailureClass;
  evidence: FindingEvidence;
};

/** The console message of the browser about a failed request. */
const failedRequestPattern = /^(Failed to load resource|WebSocket connection to|Access to )/;
/** The error that a script gets for a failed request. It does not name the request. */
const unnamedRequestPattern = /^(Failed to fetch|Load failed|network error|A network error occurred\.?)$/;

/** Console and page errors of a flow, except those that blocked requests caused. */
class PageErrors {
  readonly messages: string[] = [];
  private ignoredCount = 0;

  constructor(private readonly blocked: () => readonly BlockedRequest[]) {}

  addConsoleMessage(message: ConsoleMessage): void {
    if (message.type() !== 'error') return;
    const { url } = message.location();
    const text = message.text();
    if (failedRequestPattern.test(text) && this.isCausedByBlock(text, url)) return;
    this.messages.push(url === '' ? text : `${text} (${url})`);
  }

  /** Adds an uncaught error. For each blocked request, ignores one error that does not name its request. */
  addUncaughtError({ message }: Error): void {
    const isUnnamed = unnamedRequestPattern.test(message);
    const blockedCount = this.blocked().filter(({ what }) => what === 'request').length;
    if (isUnnamed && this.ignoredCount < blockedCount) this.ignoredCount++;
    else if (isUnnamed || !this.isCausedByBlock(message, '')) this.messages.push(`page error: ${message}`);
  }

  private isCausedByBlock(message: string, source: string): boolean {
    return this.blocked().some(({ url }) => url === source || message.includes(url.replace(/\/$/, '')));
  }
}
