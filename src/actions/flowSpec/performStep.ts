// A step from its beginning to its record: what it did, whether the flow was led astray meanwhile, and of which class its failure is.
import type { Page } from '@playwright/test';
import { inPage } from '../../browser/inPage.js';
import { classOfCode } from '../../dialects/flowSpec/failureClass.js';
import type { RecipeError } from '../../evidence/failure.js';
import type { ActionContext, ActionResult } from '../action.js';
import { asFlowError, flowError, inClass } from './flowError.js';
import type { FlowRun } from './flowRun.js';
import { rejectedLogin } from './rejectedLogin.js';
import { type StepRecord, stepFinding } from './report.js';

export async function performStep(
  flow: FlowRun,
  context: ActionContext,
  work: () => Promise<ActionResult>,
): Promise<ActionResult> {
  const record = flow.steps.find(({ id }) => id === context.node.id);
  const before = flow.guard?.blocked.length ?? 0;
  // Until it is over it has failed: whoever ends it from outside does not say so.
  if (record)
    Object.assign(record, {
      status: 'failed',
      failure_class: 'spec_step_unresolvable',
      message: 'The step did not finish in time.',
    });
  let result: ActionResult = {};
  let failure: RecipeError | undefined;
  try {
    result = await work();
    await quiet(flow.page(context), context);
    await flow.guard?.settled();
    failure = result.failure;
  } catch (thrown) {
    failure = asFlowError(thrown);
  }
  const error = await classify(flow, context, { failure, before });
  if (record) settle(flow, record, { error, result, url: flow.page(context).url() });
  return error ? { ...result, failure: error } : result;
}

type Seen = { failure: RecipeError | undefined; before: number };

/** A navigation that was blocked explains more than what the step says of it; a rejected login more than both. */
async function classify(flow: FlowRun, context: ActionContext, { failure, before }: Seen): Promise<RecipeError | undefined> {
  const astray = flow.guard?.blocked.slice(before).find(({ what }) => what === 'navigation');
  if (astray) {
    const said = failure ? `\n${failure.message}` : '';
    return flowError('spec_step_unresolvable', `A navigation to ${astray.url} was blocked: ${astray.why}${said}`, failure);
  }
  const name = failure && classOfCode(failure.code);
  if (!failure || flow.login !== 'sent' || (name !== 'assertion_failed' && name !== 'spec_step_unresolvable')) return failure;
  const said = await rejectedLogin(flow.page(context), context.call);
  return said === undefined
    ? failure
    : inClass('credential_rejected', failure, `The login was rejected: the page says ${JSON.stringify(said)}.`);
}

type Ended = { error: RecipeError | undefined; result: ActionResult; url: string };

function settle(flow: FlowRun, record: StepRecord, { error, result, url }: Ended): void {
  delete record.failure_class;
  delete record.message;
  record.url = url;
  const { resolved } = (result.output ?? {}) as { resolved?: unknown };
  if (resolved !== undefined) record.resolved = resolved;
  record.status = error ? 'failed' : 'passed';
  if (!error) return;
  const name = classOfCode(error.code);
  if (name) record.failure_class = name;
  record.message = error.message;
  const finding = stepFinding(record, error, url);
  if (finding) flow.findings.push(finding);
}

const quietMs = 500;

/** What a click sets off is asked for within two frames; a page that navigates or hangs is not waited for. */
async function quiet(page: Page, { call, clock }: ActionContext): Promise<void> {
  let withdraw = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    withdraw = clock.after(quietMs, resolve);
  });
  await Promise.race([inPage(call, page, { run: twoFrames, given: undefined }).catch(() => undefined), late]);
  withdraw();
}

/** Runs in the page. */
const twoFrames = (): Promise<void> => {
  const { setTimeout: later } = globalThis as unknown as { setTimeout(then: () => void, ms: number): void };
  return new Promise((resolve) => later(() => later(resolve, 20), 20));
};
