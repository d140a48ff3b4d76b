// What became of the secrets that a flow typed: a form that comes back with an error has rejected them.
import type { Locator, Page, Request, Response } from '@playwright/test';
import type { ActionContext } from '../../../actions/action.js';
import { awaitLoad } from '../../../actions/ui/awaitLoad.js';
import { patienceMs } from '../../../actions/ui/drive.js';
import { onWhateverComes } from '../../../actions/ui/factsOf.js';
import type { Call } from '../../../browser/pageCalls.js';
import { evaluateOnElements } from '../../../browser/pageCalls.js';
import { isAdmitted } from '../hosts.js';
import { fieldSelector, type LoginPage, readLoginPage } from './loginPage.js';
import { type Judged, judge, type Sent } from './loginSigns.js';
import { masked } from './masked.js';

/** By what a server says no to what it was sent; that it is busy or broken is something else. */
const refusals = [400, 401, 403, 422];
const isTrouble = (status: number): boolean => status >= 500 || status === 408 || status === 429;

const unanswered: Sent = { refusal: undefined, wasAnswered: false };

export class Login {
  private state: 'none' | 'typed' | 'sent' = 'none';
  private before: LoginPage | undefined;
  private sent = unanswered;
  private isJudged = false;
  private readonly pending = new Set<Request>();

  constructor(private readonly hosts: readonly string[]) {}

  async typedInto(element: Locator, call: Call): Promise<void> {
    const typed = this.state === 'sent' ? [] : (this.before?.fields ?? []);
    Object.assign(this, { state: 'typed', sent: unanswered, isJudged: false });
    // A field that is gone by now cannot be asked, nor known again.
    const seen = await evaluateOnElements(call, element, { run: readLoginPage, argument: undefined }).catch(() => undefined);
    if (seen) this.before = { ...seen, fields: [...typed, ...seen.fields] };
  }

  /** A click or a key may send the form. */
  acted(): void {
    if (this.state === 'typed') this.state = 'sent';
  }

  /** The document looked at what came of it, and found what it expected. */
  judged(): void {
    if (this.state === 'sent') this.isJudged = true;
  }

  requestStarted(request: Request): void {
    if (this.state === 'none' || !isAdmitted(request.url(), this.hosts)) return;
    for (let from: Request | null = request; from; from = from.redirectedFrom())
      if (this.sendsForm(from)) this.pending.add(request);
  }

  requestEnded(request: Request): void {
    this.pending.delete(request);
  }

  hear(response: Response): void {
    const [status, url] = [response.status(), response.url()];
    if (this.state === 'none' || !isAdmitted(url, this.hosts) || !this.sendsForm(response.request())) return;
    const refusal = `the server answered ${response.request().method()} ${new URL(url).pathname} with ${status}`;
    this.sent = refusals.includes(status) ? { refusal, wasAnswered: true } : { ...this.sent, wasAnswered: !isTrouble(status) };
  }

  /** Nobody has looked at what came of it. */
  get isOpen(): boolean {
    return this.state === 'sent' && !this.isJudged;
  }

  get wasAnswered(): boolean {
    return this.sent.wasAnswered;
  }

  /** The server still has to answer, or the browser to read the answer. */
  get isPending(): boolean {
    return this.pending.size > 0;
  }

  /** Whether the form is shown, and why it looks as if it had rejected what it was sent. */
  async look(page: Page, context: ActionContext): Promise<Judged> {
    if (this.state !== 'sent' || !this.before) return { isShown: false };
    const first = await this.judgeNow(this.before, page, context);
    if (!first?.isShown)
      await awaitLoad(context, page, { state: 'domcontentloaded', timeout: patienceMs(context) }).catch(notLoaded);
    // The form of a page that was still loading may have come after the first look.
    const judged = first?.isShown ? first : await this.judgeNow(this.before, page, context);
    // A page that does not answer says nothing about credentials.
    if (!judged) return { isShown: false };
    const { isShown, ...why } = judged;
    const said = Object.entries(why).map(([sign, text]) => [sign, masked(context, text, 300)]);
    return { isShown, ...Object.fromEntries(said) };
  }

  private async judgeNow(before: LoginPage, page: Page, context: ActionContext): Promise<Judged | undefined> {
    const read = () => evaluateOnElements(context.call, page.locator(fieldSelector), { run: readLoginPage, argument: undefined });
    const now = await onWhateverComes(context, read).catch(() => undefined);
    return now && judge(before, now, this.sent);
  }

  /** A form that is sent by GET shows its fields in the address. */
  private sendsForm(request: Request): boolean {
    // A beacon is nothing that the page waits for.
    if (request.method() !== 'GET') return request.resourceType() !== 'ping';
    const { searchParams } = new URL(request.url());
    const names = this.before?.fields.map(({ name }) => name) ?? [];
    return request.isNavigationRequest() && names.some((name) => name !== '' && searchParams.has(name));
  }
}

// "Timeout": the page is looked at as far as it has come.
const notLoaded = (_: Error): void => undefined;
