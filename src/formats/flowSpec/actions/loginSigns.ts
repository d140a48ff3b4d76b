// Whether a form that took a secret came back in an error state, by signs that do not depend on its language.
import type { Field, LoginPage } from './loginPage.js';

/** `refusal`: how the server said no. `wasAnswered`: it answered what was sent, and not that it is busy or broken. */
export type Sent = { refusal: string | undefined; wasAnswered: boolean };

/**
 * `rejected`: it says so. `suspected`: it looks so, as a page may for a moment on its way;
 * whoever asks has waited, or waits.
 */
export type Judged = { isShown: boolean; rejected?: string; suspected?: string };

export function judge(before: LoginPage, now: LoginPage, sent: Sent): Judged {
  const back = now.fields.filter((field) => field.isShown && before.fields.some((known) => isSame(known, field)));
  if (back.length === 0) return { isShown: false };
  const rejected = saidIn(before, now) ?? sent.refusal ?? markedIn(before, back);
  if (rejected !== undefined) return { isShown: true, rejected };
  const suspected = looksRejected(before, { ...now, fields: back }, sent);
  return { isShown: true, ...(suspected === undefined ? {} : { suspected }) };
}

/** The same field of the same form: an account page has password fields, too. */
function isSame(known: Field, field: Field): boolean {
  if (known.action !== field.action) return false;
  if ((known.name || field.name) !== '') return known.name === field.name;
  return known.type === field.type && (known.id === field.id || known.type === 'password');
}

const blames =
  /\b(invalid|incorrect|wrong|not match|no match|does ?n.t match|unknown|failed|denied|rejected|not recogni[sz]ed|not valid|try again|locked|expired)\b/i;
const about =
  /\b(password|passcode|credential|e-?mail|user(name)?|account|log ?in|sign ?in|combination|code|pin|token|one-time)/i;

/** The whole line says that something was kept, and no more: settings come back so, with a password among them. */
const thanks =
  /^((your|the|all) )?((new )?(changes?|settings|profile|preferences|details|account) )?((has|have) been |was |were |is |are )?(successfully )?(saved|updated)( successfully)?[.!]?$/i;

/** An error that was not there before; in a page that was loaded since, one in words may have been. */
function saidIn(before: LoginPage, now: LoginPage): string | undefined {
  const fresh = freshIn(before, now);
  const isOther = before.document !== now.document;
  const words = [...fresh, ...(isOther ? now.lines.filter(({ tone }) => tone !== 'plain') : [])];
  const line = fresh.find(({ tone }) => tone === 'error') ?? words.find(({ text }) => blames.test(text) && about.test(text));
  return line && `the page says ${JSON.stringify(line.text)}`;
}

function freshIn(before: LoginPage, now: LoginPage): LoginPage['lines'] {
  const known = new Set(before.lines.map(({ text }) => text));
  return now.lines.filter(({ text }) => !known.has(text));
}

function markedIn(before: LoginPage, back: readonly Field[]): string | undefined {
  const wasMarked = (field: Field): boolean => before.fields.some((known) => isSame(known, field) && known.isMarked);
  const marked = back.find((field) => field.isMarked && !wasMarked(field));
  return marked && `its field ${JSON.stringify(marked.name || marked.id || marked.type)} is marked as wrong`;
}

/** Nobody is asked to log in again right after having done so. Forms of other kinds are shown again when all is well. */
function looksRejected(before: LoginPage, now: LoginPage, { wasAnswered }: Sent): string | undefined {
  const fresh = freshIn(before, now);
  const login = now.fields.find(({ isLogin }) => isLogin);
  if (!login || fresh.some(({ tone, text }) => tone === 'success' || thanks.test(text))) return undefined;
  const said = (fresh.find(({ tone }) => tone === 'alert') ?? fresh[0])?.text;
  const says = said === undefined ? '' : `, and the page says ${JSON.stringify(said)}`;
  if (before.document !== now.document) return wasAnswered ? `its form was sent and is shown again${says}` : undefined;
  if (fresh.some(({ tone }) => tone === 'alert') || (wasAnswered && said !== undefined))
    return `its form is still shown after it was sent${says}`;
  const wasEmptied = login.isEmpty && before.fields.some((known) => isSame(known, login) && !known.isEmpty);
  return wasAnswered && wasEmptied ? 'its form is still shown after it was sent, and was emptied' : undefined;
}
