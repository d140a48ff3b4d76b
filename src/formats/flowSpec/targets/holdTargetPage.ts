// Watches one element while it is acted on: what was meant for it happens to it, as long as it is what it was taken for. Runs inside of the page.
import type { Candidate } from './resolveTargetPage.js';

export type Watching = {
  /** What it was when it was chosen. */
  was: Candidate;
  attribute: string;
  mark: string;
  /** What is typed may go on nowhere else. */
  isFill: boolean;
  collect(items: readonly object[]): Candidate[];
  /** The watch over the element that it takes the place of, which ends as this one begins. */
  after?: Watched | undefined;
};

/** `isTouched`: the gesture has begun on it. `isRefused`: it was kept from something that is not what was meant. */
export type Watched = {
  isTouched: boolean;
  isRefused: boolean;
  /** Whether the first event was refused: told at once, as the page may be gone when it is asked. */
  firstRefused: Promise<boolean>;
  isThere(): boolean;
  end(keepsMark: boolean): void;
};

/** It is long because it stands by itself: only its own text goes into the page. It throws when it is something else by now. */
export const watchElement = (element: object, { was, attribute, mark, isFill, collect, after }: Watching): Watched => {
  type Listens = (type: string, listener: (event: Happening) => void, options: object) => void;
  type Happening = {
    type: string;
    isTrusted: boolean;
    composedPath(): unknown[];
    stopImmediatePropagation(): void;
    preventDefault(): void;
  };
  type Item = {
    isConnected: boolean;
    labels?: Iterable<unknown> | null;
    ownerDocument: { activeElement: unknown; body: unknown; defaultView: Record<`${'add' | 'remove'}EventListener`, Listens> };
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
  };
  const item = element as Item;
  const { ownerDocument: page } = item;
  const pointers = ['pointerdown', 'mousedown', 'touchstart', 'pointerup', 'mouseup', 'touchend', 'click', 'auxclick'];
  const keys = ['keydown', 'keypress', 'keyup', 'beforeinput'];
  const said = ({ name, placeholder, testId, id }: Candidate): string => name || placeholder || testId || id.trim();
  // A field may lose its placeholder when it gets the focus: what says nothing any more says nothing else.
  const isSame = (mayBeSilent: boolean): boolean => {
    const [now] = collect([item]);
    return now !== undefined && now.role === was.role && (said(now) === said(was) || (mayBeSilent && said(now) === ''));
  };
  const goesElsewhere = (event: Happening): boolean => {
    const path = event.composedPath();
    const isKey = keys.includes(event.type);
    // A key that nothing has the focus for is everybody's; whoever presses a label presses its field.
    if (isKey && !isFill && page.activeElement === page.body) return false;
    return ![item, ...(isKey ? [] : (item.labels ?? []))].some((each) => path.includes(each));
  };
  let decide = (_isRefused: boolean): void => undefined;
  const firstRefused = new Promise<boolean>((resolve) => {
    decide = resolve;
  });
  const watched: Watched = {
    ...{ isTouched: false, isRefused: false, firstRefused },
    isThere: () => item.isConnected,
    end(keepsMark) {
      for (const type of [...pointers, ...keys]) page.defaultView?.removeEventListener(type, see, { capture: true });
      decide(watched.isRefused);
      if (!keepsMark) write(marks().filter((each) => each !== mark));
    },
  };
  const see = (event: Happening): void => {
    if (!event.isTrusted) return;
    // The first event decides: what comes after it may be what it led to.
    if (!watched.isTouched && !isSame(true)) watched.isRefused = true;
    if ((!watched.isTouched || isFill) && goesElsewhere(event)) watched.isRefused = true;
    decide(watched.isRefused);
    if (!watched.isRefused) {
      watched.isTouched = true;
      return;
    }
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  const marks = (): string[] => (item.getAttribute(attribute) ?? '').split(' ').filter((each) => each !== '');
  const write = (all: readonly string[]): void =>
    all.length === 0 ? item.removeAttribute(attribute) : item.setAttribute(attribute, all.join(' '));
  if (!item.isConnected || !isSame(false)) throw new Error('It is not what it was taken for.');
  after?.end(false);
  write([...marks(), mark]);
  for (const type of [...pointers, ...keys]) page.defaultView?.addEventListener(type, see, { capture: true });
  return watched;
};
