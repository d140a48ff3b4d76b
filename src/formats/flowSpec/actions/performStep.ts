// A step from its beginning to its record: what it did, whether the flow was led astray meanwhile, and of which class its failure is.
import type { Page } from '@playwright/test';
import type { ActionContext, ActionResult } from '../../../actions/action.js';
import { evaluateInPage } from '../../../browser/pageCalls.js';
import { RecipeError } from '../../../evidence/failure.js';
import { classOfCode } from '../failureClass.js';
import { hostOf, isAdmitted, notAdmitted } from '../hosts.js';
import { asFlowError, flowError, inClass } from './flowError.js';
import type { FlowRun } from './flowRun.js';
import { type StepRecord, stepFinding } from './report.js';
import { within, withPatience } from './withPatience.js';

export async function performStep(
  flow: FlowRun,
  context: ActionContext,
  work: (patient: ActionContext) => Promise<ActionResult>,
): Promise<ActionResult> {
  const { id, intent = '' } = context.node;
  // Going to the first page is no step of the document, and can end the flow like one.
  const record: StepRecord = flow.steps.find((step) => step.id === id) ?? { id, intent, status: 'skipped' };
  flow.current = id;
  // Until it is over it has failed: whoever ends it from outside does not say so.
  Object.assign(record, {
    status: 'failed',
    failure_class: 'spec_step_unresolvable',
    message: 'The step did not finish in time.',
  });
  let result: ActionResult = {};
  let failure: RecipeError | undefined;
  try {
    staysInside(flow, context);
    result = await work(withPatience(context));
    await quiet(flow.page(context), context);
    await flow.guard?.settled();
    failure = result.failure;
    if (!failure) staysInside(flow, context);
  } catch (thrown) {
    failure = asFlowError(thrown);
  }
  const error = await classify(flow, context, failure);
  if (wasInterrupted(context))
    Object.assign(record, { status: 'skipped', failure_class: undefined, message: 'The run was interrupted.' });
  else settle(flow, record, { error, result, url: flow.page(context).url(), selector: context.node.fields.selector });
  return error ? { ...result, failure: error } : result;
}

/** Whatever a step found on a page outside of the walls is nothing that the flow may show. */
function staysInside(flow: FlowRun, context: ActionContext): void {
  const page = flow.page(context);
  if (page.context() !== flow.context)
    throw flowError('spec_step_unresolvable', 'The page of the flow is closed, and the flow goes on in no other one.');
  const url = page.url();
  if (hostOf(url) !== undefined && !isAdmitted(url, flow.hosts))
    throw flowError('spec_step_unresolvable', `The flow is at ${url}, where it may not be: ${notAdmitted(url, flow.hosts)}`);
}

/** By somebody else than its own deadline. */
function wasInterrupted({ signal }: ActionContext): boolean {
  return signal.aborted && !(signal.reason instanceof RecipeError);
}

/** A navigation that was blocked explains more than what the step says of it; a rejected login more than both. */
async function classify(
  flow: FlowRun,
  context: ActionContext,
  failure: RecipeError | undefined,
): Promise<RecipeError | undefined> {
  const astray = flow.ledAstray();
  if (astray) {
    const said = failure ? `\n${failure.message}` : '';
    return flowError('spec_step_unresolvable', `A navigation to ${astray.url} was blocked: ${astray.why}${said}`, failure);
  }
  const name = failure && classOfCode(failure.code);
  if (!failure || (name !== 'assertion_failed' && name !== 'spec_step_unresolvable')) return failure;
  const seen = await within(
    Math.max(lookMs, context.remainingMs() - lookMs),
    context,
    flow.login.look(flow.page(context), context),
  );
  const rejected = seen?.rejected ?? seen?.suspected;
  return rejected === undefined ? failure : inClass('credential_rejected', failure, `The login was rejected: ${rejected}.`);
}

type Ended = { error: RecipeError | undefined; result: ActionResult; url: string; selector: unknown };

function settle(flow: FlowRun, record: StepRecord, { error, result, url, selector }: Ended): void {
  delete record.failure_class;
  delete record.message;
  record.url = url;
  const { resolved } = (result.output ?? {}) as { resolved?: unknown };
  if (resolved !== undefined) record.resolved = resolved;
  record.status = error ? 'failed' : 'passed';
  if (!error) return;
  const name = classOfCode(error.code);
  if (name) record.failure_class = name;
  if (!record.optional) flow.halted = record;
  record.message = error.message;
  const finding = stepFinding(record, error, { url, ...(typeof selector === 'string' ? { selector } : {}) });
  if (finding) flow.findings.push(finding);
}

const quietMs = 500;
/** The least that a page gets to answer about a step that failed, and what is kept back when there is more time left. */
const lookMs = 1_500;

/** What a click sets off is asked for within a moment; a page that navigates or hangs is not waited for. */
async function quiet(page: Page, context: ActionContext): Promise<void> {
  await within(quietMs, context, evaluateInPage(context.call, page, { run: aMoment, argument: undefined }));
}

/** Runs in the page. */
const aMoment = (): Promise<void> => {
  const { setTimeout: later } = globalThis as unknown as { setTimeout(then: () => void, ms: number): void };
  return new Promise((resolve) => later(() => later(resolve, 20), 20));
};
