// What became of the secrets that a flow typed: a form that comes back with an error has rejected them.
import type { Locator, Page, Response } from '@playwright/test';
import { inElements, inPage } from '../../browser/inPage.js';
import { isAdmitted } from '../../dialects/flowSpec/hosts.js';
import type { ActionContext, Call } from '../action.js';
import { masked } from './masked.js';

/** How a field is known again after the page was loaded anew. */
export type FieldMark = { id: string; name: string; type: string };

/** By what a server says no to what it was sent; that it is busy or broken is something else. */
const refusals = [400, 401, 403, 422];

export class Login {
  private state: 'none' | 'typed' | 'sent' = 'none';
  private fields: FieldMark[] = [];
  private answer: string | undefined;
  private isJudged = false;

  constructor(private readonly hosts: readonly string[]) {}

  async typedInto(element: Locator, call: Call): Promise<void> {
    if (this.state === 'sent') this.fields = [];
    Object.assign(this, { state: 'typed', answer: undefined, isJudged: false });
    // A field that is gone by now cannot be asked, and is known by nothing but its form.
    this.fields.push(...(await inElements(call, element, { run: marksOf, given: undefined }).catch(() => [])));
  }

  /** A click or a key may send the form. */
  acted(): void {
    if (this.state === 'typed') this.state = 'sent';
  }

  /** The document looked at what came of it, and found what it expected. */
  judged(): void {
    if (this.state === 'sent') this.isJudged = true;
  }

  hear(response: Response): void {
    const [status, method, url] = [response.status(), response.request().method(), response.url()];
    if (this.state === 'none' || method === 'GET' || !refusals.includes(status) || !isAdmitted(url, this.hosts)) return;
    this.answer = `the server answered ${method} ${new URL(url).pathname} with ${status}`;
  }

  /** Nobody has looked at what came of it. */
  get isOpen(): boolean {
    return this.state === 'sent' && !this.isJudged;
  }

  /** Whether the form is shown, and why it looks as if it had rejected what it was sent. */
  async look(page: Page, context: ActionContext): Promise<{ isShown: boolean; rejected?: string | undefined }> {
    if (this.state !== 'sent') return { isShown: false };
    // A page that does not answer says nothing about credentials.
    const seen = await inPage(context.call, page, { run: formAndError, given: this.fields }).catch(() => undefined);
    if (!seen?.isShown) return { isShown: false };
    const { error } = seen;
    const rejected = error === undefined ? this.answer : `the page says ${JSON.stringify(masked(context, error, 200))}`;
    return { isShown: true, rejected };
  }
}

/** Runs in the page. */
const marksOf = (items: readonly object[]): FieldMark[] =>
  items.map((item) => {
    const { id = '', name = '', type = '' } = item as Partial<FieldMark>;
    return { id, name, type };
  });

/** Runs in the page: whether a form that takes such secrets is shown, and the error beside it. */
const formAndError = (fields: readonly FieldMark[]): { isShown: boolean; error?: string | undefined } => {
  type Item = { innerText?: string; checkVisibility(options: object): boolean } & Partial<FieldMark>;
  const { document } = globalThis as unknown as { document: { querySelectorAll(selector: string): Iterable<Item> } };
  const shown = (selector: string): Item[] =>
    [...document.querySelectorAll(selector)].filter((item) =>
      item.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    );
  const isSame = (item: Item): boolean =>
    fields.some(({ id, name, type }) => item.type === type && (id || name) !== '' && (id ? item.id === id : item.name === name));
  const inputs = shown('input');
  if (!inputs.some((item) => item.type === 'password' || isSame(item))) return { isShown: false };
  const blames =
    /\b(invalid|incorrect|wrong|not match|no match|does ?n.t match|unknown|failed|denied|rejected|not recogni[sz]ed|not valid|try again|locked|expired)\b/i;
  const about =
    /\b(password|passcode|credential|e-?mail|user(name)?|account|log ?in|sign ?in|combination|code|pin|token|one-time)/i;
  const areas = shown(
    '[role=alert],[aria-live=assertive],[aria-live=polite],[class*=error i],[class*=alert i],[id*=error i],form',
  );
  for (const { innerText = '' } of areas) {
    const line = innerText.split('\n').find((each) => blames.test(each) && about.test(each));
    if (line !== undefined) return { isShown: true, error: line.trim().slice(0, 10_000) };
  }
  const alerts = shown('[role=alert]').map(({ innerText = '' }) => innerText.trim());
  const isMarked = shown('input[aria-invalid=true]').length > 0;
  const alert = isMarked ? alerts.find((text) => text !== '') : undefined;
  return { isShown: true, error: alert?.slice(0, 10_000) };
};
