// A step from its beginning to its record: what it did, whether the flow was led astray meanwhile, and of which class its failure is.
import type { Page } from '@playwright/test';
import type { ActionContext, ActionResult } from '../../../actions/action.js';
import { pause } from '../../../actions/pause.js';
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
  // Going to the first page is no step of the document, and can end the flow like one.
  const record: StepRecord = flow.steps.find((step) => step.id === id) ?? { id, intent, status: 'skipped' };
  flow.currentNode = id;
  // Until it is over it has failed: whoever ends it from outside does not say so.
  Object.assign(record, {
    status: 'failed',
    failure_class: 'spec_step_unresolvable',
    message: 'The step did not finish in time.',
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

/** Whatever a step found on a page outside of the walls is nothing that the flow may show. */
function assertInsideHosts(flow: FlowRun, context: ActionContext): void {
  const page = flow.page(context);
  if (page.context() !== flow.context)
    throw createFlowError('spec_step_unresolvable', 'The page of the flow is closed, and the flow goes on in no other one.');
  const url = page.url();
  if (parseHost(url) !== undefined && !isAdmitted(url, flow.hosts))
    throw createFlowError(
      'spec_step_unresolvable',
      `The flow is at ${url}, where it may not be: ${explainNotAdmitted(url, flow.hosts)}`,
    );
}

/** By somebody else than its own deadline. */
function wasInterrupted({ signal }: ActionContext): boolean {
  return signal.aborted && !(signal.reason instanceof RecipeError);
}

/** A navigation that was blocked explains more than what the step says of it; a rejected login more than both. */
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
/** The least that a page gets to answer about a step that failed, and what is kept back when there is more time left. */
const loginCheckMs = 1_500;

/** What a click sets off is asked for within a moment; a page that navigates or hangs is not waited for. */
async function waitForPageToSettle(page: Page, context: ActionContext): Promise<void> {
  await waitAtMost(settleTimeoutMs, context, evaluateInPage(context.call, page, { run: waitForTimers, argument: undefined }));
}

/** Runs in the page. */
const waitForTimers = (): Promise<void> => {
  const { setTimeout: later } = globalThis as unknown as { setTimeout(then: () => void, ms: number): void };
  return new Promise((resolve) => later(() => later(resolve, 20), 20));
};

// The same node with less time, so that some is left for what has to be found out after its work.

/** What a step needs to see where it led to, and to look at the page when it failed. */
export const reserveMs = 2_000;

function reserveTime(context: ActionContext): ActionContext {
  const left = context.remainingMs();
  const until = context.clock.now() + Math.max(left / 2, left - reserveMs);
  const remainingMs = (): number => Math.max(1, until - context.clock.now());
  // Read from the context itself: what it keeps private is not there for anything that stands in for it.
  return new Proxy(context, { get: (given, key) => (key === 'remainingMs' ? remainingMs : Reflect.get(given, key, given)) });
}

/** Undefined when it takes longer, or is not there any more. */
export async function waitAtMost<T>(ms: number, { clock }: ActionContext, work: Promise<T>): Promise<T | undefined> {
  let withdraw = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    withdraw = clock.after(ms, () => resolve(undefined));
  });
  const done = await Promise.race([work.catch(() => undefined), late]);
  withdraw();
  return done;
}

// Waits for what becomes of a login, as long as that is open.

const loginPollMs = 100;

/** As long as its form is shown a login may still be rejected; as long as it looks rejected it may still be on its way. */
export async function awaitLoginRejection(
  { login, settings, page }: FlowRun,
  context: ActionContext,
  { asLongAs }: { asLongAs: 'shown' | 'suspected' },
): Promise<string | undefined> {
  const latest = context.clock.now() + context.remainingMs() / 2;
  const nextDeadline = (): number => Math.min(latest, context.clock.now() + settings.expectMs);
  let deadline = nextDeadline();
  for (;;) {
    // Nobody can say what came of a login before the server has answered.
    if (login.isPending) deadline = nextDeadline();
    const { isShown, rejected, suspected } = await login.inspectPage(page(context), context);
    const mayChange = asLongAs === 'shown' ? isShown : suspected !== undefined;
    if (!mayChange || rejected !== undefined) return rejected;
    if (context.clock.now() + loginPollMs > deadline || context.signal.aborted) return suspected;
    await pause(context, loginPollMs);
  }
}

/** What is done next would leave the form behind, and nobody would know: a flow whose login was rejected does not go on. */
export async function assertLoginNotRejected(flow: FlowRun, context: ActionContext): Promise<void> {
  const { isOpen, wasAnswered } = flow.login;
  const rejected = isOpen && wasAnswered ? await awaitLoginRejection(flow, context, { asLongAs: 'suspected' }) : undefined;
  if (rejected !== undefined) throw createFlowError('credential_rejected', `The login was rejected: ${rejected}.`);
}
