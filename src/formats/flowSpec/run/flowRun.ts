// One run of a flow-spec: its guarded browser, what it saw, and how each of its steps went.
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
  /** The node that runs now. */
  currentNode = 'begin';
  /** What ended the flow before its steps were over. */
  halted: StepRecord | undefined;
  /** How many elements were held so far, to be acted on. */
  holdCount = 0;
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

  /** Looks at a page of its own, in place of the one that the host gave. */
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

  /** A browser shows what the proxy says in place of a server as an empty page at the very address that was asked for. */
  private trackUnanswered(response: Response): void {
    const why = this.proxy?.explainUnanswered(response.headers());
    if (why !== undefined && isMainFrameNavigation(response)) this.unanswered.push({ url: response.url(), why });
  }

  /** A navigation that was blocked or got no answer since the last time somebody asked, be it between two steps. */
  takeFailedNavigation(): FailedNavigation | undefined {
    const all = this.guard?.blocked ?? [];
    const found = all.slice(this.checkedBlocks).find(({ what }) => what === 'navigation');
    this.checkedBlocks = all.length;
    const [first] = this.unanswered.splice(0);
    return found ?? first;
  }

  async close(): Promise<void> {
    // What the browser took with it when it went away is closed already.
    await this.context?.close().catch(() => undefined);
    await this.guard?.close();
    await this.proxy?.close();
  }
}

function isMainFrameNavigation(response: Response): boolean {
  // The frame of a page that is only just coming cannot be asked for, and a part of a page never is that early.
  try {
    return response.request().isNavigationRequest() && response.frame().parentFrame() === null;
  } catch {
    return response.request().isNavigationRequest();
  }
}

/** The flows that run now, by the run they belong to. */
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
    const message = `${context.node.action} stands outside of a flow. Begin with rw.flow_open, as compiled flow-specs do.`;
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
  /** The step or assertion that it is about. */
  node: string;
  message: string;
  failure_class?: FailureClass;
  evidence: FindingEvidence;
};

// What the pages of a flow said was wrong, our own blocks not among it.

/** What the browser itself says about a request that did not get through. */
const failedRequestPattern = /^(Failed to load resource|WebSocket connection to|Access to )/;
/** What a script gets that made such a request, without a word about which it was. */
const unnamedRequestPattern = /^(Failed to fetch|Load failed|network error|A network error occurred\.?)$/;

class PageErrors {
  readonly messages: string[] = [];
  private excusedCount = 0;

  constructor(private readonly blocked: () => readonly BlockedRequest[]) {}

  addConsoleMessage(message: ConsoleMessage): void {
    if (message.type() !== 'error') return;
    const { url } = message.location();
    const text = message.text();
    if (failedRequestPattern.test(text) && this.isCausedByBlock(text, url)) return;
    this.messages.push(url === '' ? text : `${text} (${url})`);
  }

  /** A rejection that nobody caught. Those that name no address are excused once for each request that we blocked. */
  addUncaughtError({ message }: Error): void {
    const isNameless = unnamedRequestPattern.test(message);
    const requests = this.blocked().filter(({ what }) => what === 'request').length;
    if (isNameless && this.excusedCount < requests) this.excusedCount++;
    else if (isNameless || !this.isCausedByBlock(message, '')) this.messages.push(`page error: ${message}`);
  }

  private isCausedByBlock(said: string, source: string): boolean {
    return this.blocked().some(({ url }) => url === source || said.includes(url.replace(/\/$/, '')));
  }
}
