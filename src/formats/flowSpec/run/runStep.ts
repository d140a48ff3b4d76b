// Runs one step of a flow: checks that the page stays within the admitted hosts, classifies a failure, and records the outcome.
import type { Page } from '@playwright/test';
import type { ActionContext, ActionResult } from '../../../actions/action.js';
import { sleep } from '../../../actions/sleep.js';
import { evaluateInPage } from '../../../browser/pageCalls.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { createFlowError, findFailureClass, reclassifyError, toFlowError } from '../failureClass.js';
import { explainNotAdmitted, isAdmitted, parseHost } from '../network/admittedHosts.js';
import { createStepFinding } from './flowReport.js';
import type { FlowRun, StepRecord } from './flowRun.js';

export async function runStep(
  flow: FlowRun,
  context: ActionContext,
  work: (stepContext: ActionContext) => Promise<ActionResult>,
): Promise<ActionResult> {
  const { id, intent = '' } = context.node;
  // The node that opens the first page is no step of the document, but its failure also ends the flow.
  const record: StepRecord = flow.steps.find((step) => step.id === id) ?? { id, intent, status: 'skipped' };
  flow.currentNode = id;
  // The record is "failed" until the step ends. A step that is aborted cannot update its record.
  Object.assign(record, {
    status: 'failed',
    failure_class: 'spec_step_unresolvable',
    message: 'The step did not finish before its timeout.',
  });
  let result: ActionResult = {};
  let failure: RecipeError | undefined;
  try {
    assertInsideHosts(flow, context);
    result = await work(reserveTime(context));
    await waitForPageToSettle(flow.page(context), context);
    await flow.guard?.waitUntilDecided();
    failure = result.failure;
    if (!failure) assertInsideHosts(flow, context);
  } catch (thrown) {
    failure = toFlowError(thrown);
  }
  const error = await classifyFailure(flow, context, failure);
  if (wasInterrupted(context))
    Object.assign(record, { status: 'skipped', failure_class: undefined, message: 'The run was interrupted.' });
  else recordOutcome(flow, record, { error, result, url: flow.page(context).url(), selector: context.node.fields.selector });
  return error ? { ...result, failure: error } : result;
}

/** Throws when the page is on another host, because a flow must not report the content of such a page. */
function assertInsideHosts(flow: FlowRun, context: ActionContext): void {
  const page = flow.page(context);
  if (page.context() !== flow.context)
    throw createFlowError('spec_step_unresolvable', 'The page of the flow was closed. A flow cannot continue in another page.');
  const url = page.url();
  if (parseHost(url) !== undefined && !isAdmitted(url, flow.hosts))
    throw createFlowError(
      'spec_step_unresolvable',
      `The flow is at ${url}, which is not allowed: ${explainNotAdmitted(url, flow.hosts)}`,
    );
}

/** Whether the run was interrupted. The timeout of the node does not count. */
function wasInterrupted({ signal }: ActionContext): boolean {
  return signal.aborted && !(signal.reason instanceof RecipeError);
}

/**
 * Returns the error of the step. A blocked navigation or a rejected login replaces it, because they explain the failure better.
 */
async function classifyFailure(
  flow: FlowRun,
  context: ActionContext,
  failure: RecipeError | undefined,
): Promise<RecipeError | undefined> {
  const failedNavigation = flow.takeFailedNavigation();
  if (failedNavigation) {
    const details = failure ? `\n${failure.message}` : '';
    return createFlowError(
      'spec_step_unresolvable',
      `A navigation to ${failedNavigation.url} was blocked: ${failedNavigation.why}${details}`,
      failure,
    );
  }
  const failureClass = failure && findFailureClass(failure.code);
  if (!failure || (failureClass !== 'assertion_failed' && failureClass !== 'spec_step_unresolvable')) return failure;
  const login = await waitAtMost(
    Math.max(loginCheckMs, context.remainingMs() - loginCheckMs),
    context,
    flow.login.inspectPage(flow.page(context), context),
  );
  const rejected = login?.rejected ?? login?.suspected;
  return rejected === undefined
    ? failure
    : reclassifyError('credential_rejected', failure, `The login was rejected: ${rejected}.`);
}

type StepOutcome = { error: RecipeError | undefined; result: ActionResult; url: string; selector: unknown };

function recordOutcome(flow: FlowRun, record: StepRecord, { error, result, url, selector }: StepOutcome): void {
  delete record.failure_class;
  delete record.message;
  record.url = url;
  const { resolved } = (result.output ?? {}) as { resolved?: unknown };
  if (resolved !== undefined) record.resolved = resolved;
  record.status = error ? 'failed' : 'passed';
  if (!error) return;
  const failureClass = findFailureClass(error.code);
  if (failureClass) record.failure_class = failureClass;
  if (!record.optional) flow.halted = record;
  record.message = error.message;
  const finding = createStepFinding(record, error, { url, ...(typeof selector === 'string' ? { selector } : {}) });
  if (finding) flow.findings.push(finding);
}

const settleTimeoutMs = 500;
/** The minimum time for the login check after a failed step, and the time that must remain after the check. */
const loginCheckMs = 1_500;

/** Waits until the requests that a click causes can start. Does not wait for a page that navigates or hangs. */
async function waitForPageToSettle(page: Page, context: ActionContext): Promise<void> {
  await waitAtMost(settleTimeoutMs, context, evaluateInPage(context.call, page, { run: waitForTimers, argument: undefined }));
}

/** Runs in the page. */
const waitForTimers = (): Promise<void> => {
  const { setTimeout: later } = globalThis as unknown as { setTimeout(then: () => void, ms: number): void };
  return new Promise((resolve) => later(() => later(resolve, 20), 20));
};

/** The time that a step needs after its work, to check the URL of the page, and to read the page after a failure. */
export const reserveMs = 2_000;

/** Returns the same context with less remaining time for the work of the step. */
function reserveTime(context: ActionContext): ActionContext {
  const leftMs = context.remainingMs();
  const deadline = context.clock.now() + Math.max(leftMs / 2, leftMs - reserveMs);
  const remainingMs = (): number => Math.max(1, deadline - context.clock.now());
  // The proxy calls getters on the context itself, because it cannot access the private fields of the context.
  return new Proxy(context, { get: (target, key) => (key === 'remainingMs' ? remainingMs : Reflect.get(target, key, target)) });
}

/** Waits for a promise. Returns undefined on a timeout and on an error. */
export async function waitAtMost<T>(ms: number, { clock }: ActionContext, work: Promise<T>): Promise<T | undefined> {
  let cancelTimer = (): void => undefined;
  const timedOut = new Promise<undefined>((resolve) => {
    cancelTimer = clock.after(ms, () => resolve(undefined));
  });
  const result = await Promise.race([work.catch(() => undefined), timedOut]);
  cancelTimer();
  return result;
}

const loginPollMs = 100;

/**
 * Waits until the outcome of a login is clear, and returns why it was rejected. `shown`: waits while the form is shown, as it
 * can still be rejected. `suspected`: waits while it seems rejected, as the page may still change.
 */
export async function awaitLoginRejection(
  { login, settings, page }: FlowRun,
  context: ActionContext,
  { waitWhile }: { waitWhile: 'shown' | 'suspected' },
): Promise<string | undefined> {
  const latest = context.clock.now() + context.remainingMs() / 2;
  const nextDeadline = (): number => Math.min(latest, context.clock.now() + settings.expectMs);
  let deadline = nextDeadline();
  for (;;) {
    // Before the server has answered, the outcome is unknown.
    if (login.isPending) deadline = nextDeadline();
    const { isShown, rejected, suspected } = await login.inspectPage(page(context), context);
    const mayChange = waitWhile === 'shown' ? isShown : suspected !== undefined;
    if (!mayChange || rejected !== undefined) return rejected;
    if (context.clock.now() + loginPollMs > deadline || context.signal.aborted) return suspected;
    await sleep(context, loginPollMs);
  }
}

/** Call this before a step leaves the page with the form, because the outcome of the login is not visible afterwards. */
export async function assertLoginNotRejected(flow: FlowRun, context: ActionContext): Promise<void> {
  const { isOutcomeUnchecked, wasAnswered } = flow.login;
  const rejected =
    isOutcomeUnchecked && wasAnswered ? await awaitLoginRejection(flow, context, { waitWhile: 'suspected' }) : undefined;
  if (rejected !== undefined) throw createFlowError('credential_rejected', `The login was rejected: ${rejected}.`);
}
