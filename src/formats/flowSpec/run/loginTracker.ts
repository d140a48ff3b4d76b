// What became of the secrets that a flow typed: a form that comes back with an error has rejected them.
import type { Locator, Page, Request, Response } from '@playwright/test';
import type { ActionContext } from '../../../actions/action.js';
import { awaitLoad, retryOnNewPage } from '../../../actions/ui/readPage.js';
import { patienceMs } from '../../../actions/ui/withPageErrors.js';
import { type Call, evaluateOnElements } from '../../../browser/pageCalls.js';
import { isAdmitted } from '../network/admittedHosts.js';
import { maskText } from './flowText.js';
import { type FormField, fieldSelector, type LoginPage, readLoginPage } from './readLoginPage.js';

/** By what a server says no to what it was sent; that it is busy or broken is something else. */
const refusalStatuses = [400, 401, 403, 422];
const isServerTrouble = (status: number): boolean => status >= 500 || status === 408 || status === 429;

const unanswered: LoginResponse = { refusal: undefined, wasAnswered: false };

export class LoginTracker {
  private state: 'none' | 'typed' | 'sent' = 'none';
  private before: LoginPage | undefined;
  private sent = unanswered;
  private isJudged = false;
  private readonly pending = new Set<Request>();

  constructor(private readonly hosts: readonly string[]) {}

  async trackTypedSecret(element: Locator, call: Call): Promise<void> {
    const typed = this.state === 'sent' ? [] : (this.before?.fields ?? []);
    Object.assign(this, { state: 'typed', sent: unanswered, isJudged: false });
    // A field that is gone by now cannot be asked, nor known again.
    const seen = await evaluateOnElements(call, element, { run: readLoginPage, argument: undefined }).catch(() => undefined);
    if (seen) this.before = { ...seen, fields: [...typed, ...seen.fields] };
  }

  /** A click or a key may send the form. */
  trackPossibleSubmit(): void {
    if (this.state === 'typed') this.state = 'sent';
  }

  /** The document looked at what came of it, and found what it expected. */
  markOutcomeChecked(): void {
    if (this.state === 'sent') this.isJudged = true;
  }

  trackRequestStart(request: Request): void {
    if (this.state === 'none' || !isAdmitted(request.url(), this.hosts)) return;
    for (let from: Request | null = request; from; from = from.redirectedFrom())
      if (this.sendsForm(from)) this.pending.add(request);
  }

  trackRequestEnd(request: Request): void {
    this.pending.delete(request);
  }

  trackResponse(response: Response): void {
    const [status, url] = [response.status(), response.url()];
    if (this.state === 'none' || !isAdmitted(url, this.hosts) || !this.sendsForm(response.request())) return;
    const refusal = `the server answered ${response.request().method()} ${new URL(url).pathname} with ${status}`;
    this.sent = refusalStatuses.includes(status)
      ? { refusal, wasAnswered: true }
      : { ...this.sent, wasAnswered: !isServerTrouble(status) };
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
  async inspectPage(page: Page, context: ActionContext): Promise<LoginVerdict> {
    if (this.state !== 'sent' || !this.before) return { isShown: false };
    const first = await this.inspectNow(this.before, page, context);
    if (!first?.isShown)
      await awaitLoad(context, page, { state: 'domcontentloaded', timeout: patienceMs(context) }).catch(ignoreLoadTimeout);
    // The form of a page that was still loading may have come after the first look.
    const judged = first?.isShown ? first : await this.inspectNow(this.before, page, context);
    // A page that does not answer says nothing about credentials.
    if (!judged) return { isShown: false };
    const { isShown, ...why } = judged;
    const maskedReasons = Object.entries(why).map(([sign, text]) => [sign, maskText(context, text, 300)]);
    return { isShown, ...Object.fromEntries(maskedReasons) };
  }

  private async inspectNow(before: LoginPage, page: Page, context: ActionContext): Promise<LoginVerdict | undefined> {
    const read = () => evaluateOnElements(context.call, page.locator(fieldSelector), { run: readLoginPage, argument: undefined });
    const now = await retryOnNewPage(context, read).catch(() => undefined);
    return now && judgeLogin(before, now, this.sent);
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
const ignoreLoadTimeout = (_: Error): void => undefined;

// Whether a form that took a secret came back in an error state, by signs that do not depend on its language.

/** `refusal`: how the server said no. `wasAnswered`: it answered what was sent, and not that it is busy or broken. */
type LoginResponse = { refusal: string | undefined; wasAnswered: boolean };

/**
 * `rejected`: it says so. `suspected`: it looks so, as a page may for a moment on its way;
 * whoever asks has waited, or waits.
 */
type LoginVerdict = { isShown: boolean; rejected?: string; suspected?: string };

function judgeLogin(before: LoginPage, now: LoginPage, sent: LoginResponse): LoginVerdict {
  const back = now.fields.filter((field) => field.isShown && before.fields.some((known) => isSameField(known, field)));
  if (back.length === 0) return { isShown: false };
  const rejected = findErrorLine(before, now) ?? sent.refusal ?? findMarkedField(before, back);
  if (rejected !== undefined) return { isShown: true, rejected };
  const suspected = explainSuspicion(before, { ...now, fields: back }, sent);
  return { isShown: true, ...(suspected === undefined ? {} : { suspected }) };
}

/** The same field of the same form: an account page has password fields, too. */
function isSameField(known: FormField, field: FormField): boolean {
  if (known.action !== field.action) return false;
  if ((known.name || field.name) !== '') return known.name === field.name;
  return known.type === field.type && (known.id === field.id || known.type === 'password');
}

const blamePattern =
  /\b(invalid|incorrect|wrong|not match|no match|does ?n.t match|unknown|failed|denied|rejected|not recogni[sz]ed|not valid|try again|locked|expired)\b/i;
const credentialPattern =
  /\b(password|passcode|credential|e-?mail|user(name)?|account|log ?in|sign ?in|combination|code|pin|token|one-time)/i;

/** The whole line says that something was kept, and no more: settings come back so, with a password among them. */
const savedPattern =
  /^((your|the|all) )?((new )?(changes?|settings|profile|preferences|details|account) )?((has|have) been |was |were |is |are )?(successfully )?(saved|updated)( successfully)?[.!]?$/i;

/** An error that was not there before; in a page that was loaded since, one in words may have been. */
function findErrorLine(before: LoginPage, now: LoginPage): string | undefined {
  const fresh = findNewLines(before, now);
  const isOther = before.document !== now.document;
  const words = [...fresh, ...(isOther ? now.lines.filter(({ tone }) => tone !== 'plain') : [])];
  const line =
    fresh.find(({ tone }) => tone === 'error') ??
    words.find(({ text }) => blamePattern.test(text) && credentialPattern.test(text));
  return line && `the page says ${JSON.stringify(line.text)}`;
}

function findNewLines(before: LoginPage, now: LoginPage): LoginPage['lines'] {
  const known = new Set(before.lines.map(({ text }) => text));
  return now.lines.filter(({ text }) => !known.has(text));
}

function findMarkedField(before: LoginPage, back: readonly FormField[]): string | undefined {
  const wasMarked = (field: FormField): boolean => before.fields.some((known) => isSameField(known, field) && known.isMarked);
  const marked = back.find((field) => field.isMarked && !wasMarked(field));
  return marked && `its field ${JSON.stringify(marked.name || marked.id || marked.type)} is marked as wrong`;
}

/** Nobody is asked to log in again right after having done so. Forms of other kinds are shown again when all is well. */
function explainSuspicion(before: LoginPage, now: LoginPage, { wasAnswered }: LoginResponse): string | undefined {
  const fresh = findNewLines(before, now);
  const login = now.fields.find(({ isLogin }) => isLogin);
  if (!login || fresh.some(({ tone, text }) => tone === 'success' || savedPattern.test(text))) return undefined;
  const newText = (fresh.find(({ tone }) => tone === 'alert') ?? fresh[0])?.text;
  const says = newText === undefined ? '' : `, and the page says ${JSON.stringify(newText)}`;
  if (before.document !== now.document) return wasAnswered ? `its form was sent and is shown again${says}` : undefined;
  if (fresh.some(({ tone }) => tone === 'alert') || (wasAnswered && newText !== undefined))
    return `its form is still shown after it was sent${says}`;
  const wasEmptied = login.isEmpty && before.fields.some((known) => isSameField(known, login) && !known.isEmpty);
  return wasAnswered && wasEmptied ? 'its form is still shown after it was sent, and was emptied' : undefined;
}
