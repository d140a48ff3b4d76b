// One run of a flow-spec: its guarded browser, what it saw, and how each of its steps went.
import type { BrowserContext, Page, Response } from '@playwright/test';
import type { ActionContext } from '../../../actions/action.js';
import { pageOf } from '../../../actions/ui/drive.js';
import { runPagesOf } from '../../../browser/runPages.js';
import { RecipeError } from '../../../evidence/failure.js';
import { admittedHosts } from '../hosts.js';
import type { Severity } from '../model.js';
import type { GuardProxy } from '../network/proxy.js';
import { Login } from './login.js';
import type { Blocked, NavigationGuard } from './navigationGuard.js';
import { PageErrors } from './pageErrors.js';
import type { FlowFinding, StepRecord } from './report.js';
import type { Settled } from './settings.js';
import { ResolverQuota } from './targetResolver.js';

export type FlowPlan = {
  name: string;
  url: string;
  allowed: readonly string[];
  steps: readonly Pick<StepRecord, 'id' | 'intent' | 'optional'>[];
  assertions: readonly string[];
};

type Astray = Pick<Blocked, 'url' | 'why'>;

export type AssertionRecord = { id: string; status: 'passed' | 'failed' | 'skipped'; severity?: Severity };

export class FlowRun {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly steps: StepRecord[];
  readonly assertions: AssertionRecord[];
  readonly findings: FlowFinding[] = [];
  readonly variables = new Map<string, string>();
  readonly errors = new PageErrors(() => this.guard?.blocked ?? []);
  readonly quota: ResolverQuota;
  guard: NavigationGuard | undefined;
  proxy: GuardProxy | undefined;
  context: BrowserContext | undefined;
  /** The node that runs now. */
  current = 'begin';
  /** What ended the flow before its steps were over. */
  halted: StepRecord | undefined;
  /** How many elements were held so far, to be acted on. */
  held = 0;
  readonly login: Login;
  private accounted = 0;
  private readonly unanswered: Astray[] = [];

  constructor(
    plan: FlowPlan,
    readonly settings: Settled,
  ) {
    this.name = plan.name;
    this.hosts = admittedHosts(plan.url, plan.allowed);
    this.steps = plan.steps.map((step) => ({ ...step, status: 'skipped' }));
    this.assertions = plan.assertions.map((id) => ({ id, status: 'skipped' }));
    this.quota = new ResolverQuota(settings);
    this.login = new Login(this.hosts);
  }

  page(context: ActionContext): Page {
    return pageOf(context);
  }

  /** Looks at a page of its own, in place of the one that the host gave. */
  async show(given: Page, context: BrowserContext): Promise<void> {
    this.context = context;
    context.on('console', (message) => this.errors.hear(message));
    context.on('weberror', (error) => this.errors.hearUncaught(error.error()));
    context.on('request', (request) => this.login.requestStarted(request));
    context.on('requestfinished', (request) => this.login.requestEnded(request));
    context.on('requestfailed', (request) => this.login.requestEnded(request));
    context.on('response', (response) => this.login.hear(response));
    context.on('response', (response) => this.hearUnanswered(response));
    runPagesOf(given).switchTo(await context.newPage());
  }

  /** A browser shows what the proxy says in place of a server as an empty page at the very address that was asked for. */
  private hearUnanswered(response: Response): void {
    const why = this.proxy?.whyUnanswered(response.headers());
    if (why !== undefined && isOfWholePage(response)) this.unanswered.push({ url: response.url(), why });
  }

  /** A navigation that was blocked or got no answer since the last time somebody asked, be it between two steps. */
  ledAstray(): Astray | undefined {
    const all = this.guard?.blocked ?? [];
    const found = all.slice(this.accounted).find(({ what }) => what === 'navigation');
    this.accounted = all.length;
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

function isOfWholePage(response: Response): boolean {
  // The frame of a page that is only just coming cannot be asked for, and a part of a page never is that early.
  try {
    return response.request().isNavigationRequest() && response.frame().parentFrame() === null;
  } catch {
    return response.request().isNavigationRequest();
  }
}

/** The flows that run now, by the run they belong to. */
export class Flows {
  private readonly runs = new Map<string, FlowRun>();

  constructor(readonly settings: Settled) {}

  open({ runId }: ActionContext, plan: FlowPlan): FlowRun {
    const flow = new FlowRun(plan, this.settings);
    this.runs.set(runId, flow);
    return flow;
  }

  find({ runId }: ActionContext): FlowRun | undefined {
    return this.runs.get(runId);
  }

  of(context: ActionContext): FlowRun {
    const flow = this.find(context);
    if (flow) return flow;
    const message = `${context.node.action} stands outside of a flow. Begin with rw.flow_open, as compiled flow-specs do.`;
    throw new RecipeError('flow_spec.no_flow', 'harness', message);
  }

  end({ runId }: ActionContext): void {
    this.runs.delete(runId);
  }
}
