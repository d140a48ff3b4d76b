// Detects whether a site has accepted the secrets that a flow typed. A form that is shown again with an error has rejected them.
import type { Locator, Page, Request, Response } from '@playwright/test';
import type { ActionContext } from '../../../actions/action.js';
import { awaitLoad, retryOnNewPage } from '../../../actions/ui/readPage.js';
import { pageTimeoutMs } from '../../../actions/ui/withPageErrors.js';
import { type Call, evaluateOnElements } from '../../../browser/pageCalls.js';
import { isAdmitted } from '../network/admittedHosts.js';
import { maskText } from './flowText.js';
import { type FormField, fieldSelector, type LoginPage, readLoginPage } from './readLoginPage.js';

/** HTTP statuses by which a server rejects credentials. */
const refusalStatuses = [400, 401, 403, 422];
const isServerError = (status: number): boolean => status >= 500 || status === 408 || status === 429;

const unanswered: LoginResponse = { refusal: undefined, wasAnswered: false };

export class LoginTracker {
  private state: 'none' | 'typed' | 'sent' = 'none';
  private pageBefore: LoginPage | undefined;
  private response = unanswered;
  private isOutcomeChecked = false;
  private readonly pending = new Set<Request>();

  constructor(private readonly hosts: readonly string[]) {}

  async trackTypedSecret(element: Locator, call: Call): Promise<void> {
    const typedFields = this.state === 'sent' ? [] : (this.pageBefore?.fields ?? []);
    this.state = 'typed';
    this.response = unanswered;
    this.isOutcomeChecked = false;
    // Fails when the field is already gone. Then the field cannot be recognised later either.
    const page = await evaluateOnElements(call, element, { run: readLoginPage, argument: undefined }).catch(() => undefined);
    if (page) this.pageBefore = { ...page, fields: [...typedFields, ...page.fields] };
  }

  /** Call this after a click or a key, which may submit the form. */
  trackPossibleSubmit(): void {
    if (this.state === 'typed') this.state = 'sent';
  }

  /** Call this after an expect or a wait has passed, because the flow itself has then checked the outcome of the login. */
  markOutcomeChecked(): void {
    if (this.state === 'sent') this.isOutcomeChecked = true;
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
    this.response = refusalStatuses.includes(status)
      ? { refusal, wasAnswered: true }
      : { ...this.response, wasAnswered: !isServerError(status) };
  }

  get isOutcomeUnchecked(): boolean {
    return this.state === 'sent' && !this.isOutcomeChecked;
  }

  get wasAnswered(): boolean {
    return this.response.wasAnswered;
  }

  /** True while a request that sends the form is not finished. */
  get isPending(): boolean {
    return this.pending.size > 0;
  }

  /** Whether the form is shown, and why it seems to have rejected the secrets. */
  async inspectPage(page: Page, context: ActionContext): Promise<LoginVerdict> {
    if (this.state !== 'sent' || !this.pageBefore) return { isShown: false };
    const first = await this.inspectNow(this.pageBefore, page, context);
    if (!first?.isShown)
      await awaitLoad(context, page, { state: 'domcontentloaded', timeout: pageTimeoutMs(context) }).catch(ignoreLoadTimeout);
    // The form may have appeared while the page was still loading.
    const verdict = first?.isShown ? first : await this.inspectNow(this.pageBefore, page, context);
    // Without an answer from the page, the state of the form is unknown.
    if (!verdict) return { isShown: false };
    const { isShown, ...reasons } = verdict;
    const maskedReasons = Object.entries(reasons).map(([key, text]) => [key, maskText(context, text, 300)]);
    return { isShown, ...Object.fromEntries(maskedReasons) };
  }

  private async inspectNow(before: LoginPage, page: Page, context: ActionContext): Promise<LoginVerdict | undefined> {
    const read = () => evaluateOnElements(context.call, page.locator(fieldSelector), { run: readLoginPage, argument: undefined });
    const now = await retryOnNewPage(context, read).catch(() => undefined);
    return now && judgeLogin(before, now, this.response);
  }

  /** Whether a request sends the form. A GET request does when its URL contains the name of a field. */
  private sendsForm(request: Request): boolean {
    // Beacons ("ping") do not submit forms.
    if (request.method() !== 'GET') return request.resourceType() !== 'ping';
    const { searchParams } = new URL(request.url());
    const names = this.pageBefore?.fields.map(({ name }) => name) ?? [];
    return request.isNavigationRequest() && names.some((name) => name !== '' && searchParams.has(name));
  }
}

// After a timeout, the tracker reads the page as far as it has loaded.
const ignoreLoadTimeout = (_: Error): void => undefined;

/** `refusal`: how the server rejected the form. `wasAnswered`: the server answered without a server error. */
type LoginResponse = { refusal: string | undefined; wasAnswered: boolean };

/** `rejected`: why the login was rejected. `suspected`: why the login may have been rejected, while the page can still change. */
type LoginVerdict = { isShown: boolean; rejected?: string; suspected?: string };

/** Compares the page with the one before the form was sent, by signs that do not depend on its language. */
function judgeLogin(before: LoginPage, after: LoginPage, response: LoginResponse): LoginVerdict {
  const visibleFields = after.fields.filter(
    (field) => field.isShown && before.fields.some((previous) => isSameField(previous, field)),
  );
  if (visibleFields.length === 0) return { isShown: false };
  const rejected = findErrorLine(before, after) ?? response.refusal ?? findMarkedField(before, visibleFields);
  if (rejected !== undefined) return { isShown: true, rejected };
  const suspected = explainSuspicion(before, { ...after, fields: visibleFields }, response);
  return { isShown: true, ...(suspected === undefined ? {} : { suspected }) };
}

/** Whether both fields belong to the same form. Other pages, such as an account page, also have password fields. */
function isSameField(previous: FormField, field: FormField): boolean {
  if (previous.action !== field.action) return false;
  if ((previous.name || field.name) !== '') return previous.name === field.name;
  return previous.type === field.type && (previous.id === field.id || previous.type === 'password');
}

const blamePattern =
  /\b(invalid|incorrect|wrong|not match|no match|does ?n.t match|unknown|failed|denied|rejected|not recogni[sz]ed|not valid|try again|locked|expired)\b/i;
const credentialPattern =
  /\b(password|passcode|credential|e-?mail|user(name)?|account|log ?in|sign ?in|combination|code|pin|token|one-time)/i;

/** Matches a whole line such as "Your changes were saved": a settings form with a password is shown again after saving. */
const savedPattern =
  /^((your|the|all) )?((new )?(changes?|settings|profile|preferences|details|account) )?((has|have) been |was |were |is |are )?(successfully )?(saved|updated)( successfully)?[.!]?$/i;

/** Finds a new error line. In a new document, a line that blames the credentials counts even if it is not new. */
function findErrorLine(before: LoginPage, after: LoginPage): string | undefined {
  const newLines = findNewLines(before, after);
  const isNewDocument = before.document !== after.document;
  const possibleErrors = [...newLines, ...(isNewDocument ? after.lines.filter(({ tone }) => tone !== 'plain') : [])];
  const line =
    newLines.find(({ tone }) => tone === 'error') ??
    possibleErrors.find(({ text }) => blamePattern.test(text) && credentialPattern.test(text));
  return line && `the page says ${JSON.stringify(line.text)}`;
}

function findNewLines(before: LoginPage, after: LoginPage): LoginPage['lines'] {
  const textsBefore = new Set(before.lines.map(({ text }) => text));
  return after.lines.filter(({ text }) => !textsBefore.has(text));
}

function findMarkedField(before: LoginPage, visibleFields: readonly FormField[]): string | undefined {
  const wasMarked = (field: FormField): boolean =>
    before.fields.some((previous) => isSameField(previous, field) && previous.isMarked);
  const field = visibleFields.find((candidate) => candidate.isMarked && !wasMarked(candidate));
  return field && `its field ${JSON.stringify(field.name || field.id || field.type)} is marked as wrong`;
}

/** Explains why a login form may have been rejected. Other forms are often shown again after a success, so they do not count. */
function explainSuspicion(before: LoginPage, after: LoginPage, { wasAnswered }: LoginResponse): string | undefined {
  const newLines = findNewLines(before, after);
  const login = after.fields.find(({ isLogin }) => isLogin);
  if (!login || newLines.some(({ tone, text }) => tone === 'success' || savedPattern.test(text))) return undefined;
  const newText = (newLines.find(({ tone }) => tone === 'alert') ?? newLines[0])?.text;
  const says = newText === undefined ? '' : `, and the page says ${JSON.stringify(newText)}`;
  if (before.document !== after.document) return wasAnswered ? `its form was sent and is shown again${says}` : undefined;
  if (newLines.some(({ tone }) => tone === 'alert') || (wasAnswered && newText !== undefined))
    return `its form is still shown after it was sent${says}`;
  const wasEmptied = login.isEmpty && before.fields.some((previous) => isSameField(previous, login) && !previous.isEmpty);
  return wasAnswered && wasEmptied ? 'its form is still shown after it was sent, and was emptied' : undefined;
}
