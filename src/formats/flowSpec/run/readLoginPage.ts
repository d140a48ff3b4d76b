// What a page shows of the form that a secret was typed into. Runs inside of the page.

export type FormField = {
  name: string;
  id: string;
  type: string;
  /** Where its form goes, or where the page is: no other form of the site goes there. */
  action: string;
  isShown: boolean;
  isEmpty: boolean;
  /** As wrong: by its own word, by a class of it or of what is around it, or by the browser. */
  isMarked: boolean;
  /** Its form asks for one password that there is, and for little else. */
  isLogin: boolean;
};

type PageLine = { text: string; tone: 'error' | 'success' | 'alert' | 'form' | 'plain' };

/** `document`: which one it is, as long as it is there. */
export type LoginPage = { document: number; fields: FormField[]; lines: PageLine[] };

/** Open shadow roots included, as selectors of steps find them. */
export const fieldSelector = 'input:not([type=hidden]),textarea';

/** It is long because it stands by itself: only its own text goes into the page. */
export const readLoginPage = (items: readonly object[]): LoginPage => {
  type Item = {
    tagName: string;
    innerText?: string;
    name?: string;
    id?: string;
    type?: string;
    value?: string;
    form?: Item | null;
    parentElement: Item | null;
    getAttribute(name: string): string | null;
    getRootNode(): Root;
    checkVisibility(options: object): boolean;
    matches(selector: string): boolean;
    querySelectorAll(selector: string): Iterable<Item>;
  };
  type Root = { body?: Item; children: Iterable<Item>; querySelectorAll(selector: string): Iterable<Item> };
  const { location, performance } = globalThis as unknown as {
    location: { href: string };
    performance: { timeOrigin: number };
  };
  const wrong = new Set('error errors erroneous invalid danger failed failure incorrect destructive'.split(' '));
  const right = new Set('success successful saved confirmation confirmed positive welcome'.split(' '));
  const naming = ['class', 'id', 'data-testid'];
  // "inputError", "has-error" and "field_with_errors", but neither "no-error" nor "ng-invalid", which untouched fields have.
  const hasNameWord = (item: Item, words: ReadonlySet<string>): boolean =>
    naming.some((name) =>
      (item.getAttribute(name) ?? '').split(/\s+/).some((each) => {
        const parts = each
          .replace(/([a-z])([A-Z])/g, '$1 $2')
          .toLowerCase()
          .split(/[^a-z]+/);
        return parts.some((part) => words.has(part)) && !parts.some((part) => /^(no|not|ng|hide|hidden|boundary)$/.test(part));
      }),
    );
  const isShown = (item: Item): boolean => item.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const isMarked = (item: Item): boolean => {
    if (item.getAttribute('aria-invalid') === 'true') return true;
    // An empty one only waits for its next value.
    if (item.value !== '' && item.matches(':user-invalid')) return true;
    const nearby = [item, item.parentElement, item.parentElement?.parentElement ?? null];
    return nearby.some((each) => each !== null && each.tagName !== 'BODY' && hasNameWord(each, wrong));
  };
  const placeOf = (href: string): string => {
    const { origin, pathname, hash } = new URL(href, location.href);
    return `${origin}${pathname}${/^#[/!]/.test(hash) ? hash : ''}`;
  };
  const fieldOf = (item: Item): FormField => {
    const within = item.form ?? item.getRootNode();
    const inputs = [...within.querySelectorAll('input,textarea,select')].filter(isShown);
    const visibleInputs = inputs.filter(({ type = '' }) => !/^(submit|button|reset|image|checkbox|radio)$/.test(type));
    const passwords = visibleInputs.filter(({ type }) => type === 'password');
    const completes = (each: Item | undefined, what: string): boolean =>
      each?.getAttribute('autocomplete')?.includes(what) === true;
    const asksForOne = passwords.length === 1 && visibleInputs.length <= 3 && !completes(passwords[0], 'new-password');
    return {
      ...{ name: item.name ?? '', id: item.id ?? '', type: item.type ?? '', isShown: isShown(item), isEmpty: item.value === '' },
      // The attribute: a field of that name would stand in for the property.
      action: placeOf(item.form?.getAttribute('action') || location.href),
      isMarked: isMarked(item),
      isLogin: asksForOne || completes(item, 'one-time-code'),
    };
  };
  const linesOf = (item: Item): string[] =>
    (item.innerText ?? '')
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ').trim().slice(0, 10_000))
      .filter((line) => line !== '');
  const lines = new Map<string, PageLine['tone']>();
  const readRoot = (root: Root): void => {
    const shown = (selector: string): Item[] => [...root.querySelectorAll(selector)].filter(isShown);
    // What names a control says nothing about what came of it, such as a button that says "Please wait".
    const names = new Set(shown('button,[role=button],label,legend,option').flatMap(linesOf));
    const areas = (tone: PageLine['tone'], found: Item[]): void => {
      for (const line of found.flatMap(linesOf)) if (!names.has(line) && !lines.has(line)) lines.set(line, tone);
    };
    const named = shown('[class],[id],[data-testid]').filter(({ tagName, innerText = '' }) => {
      return !/^(HTML|BODY|MAIN|FORM|INPUT)$/.test(tagName) && innerText.length < 500;
    });
    areas(
      'success',
      named.filter((item) => hasNameWord(item, right)),
    );
    areas(
      'error',
      named.filter((item) => hasNameWord(item, wrong)),
    );
    areas('alert', shown('[role=alert],[aria-live=assertive]'));
    areas('form', shown('form'));
    areas('plain', root.body ? [root.body] : [...root.children].filter(({ tagName }) => tagName !== 'STYLE'));
  };
  const all = items as readonly Item[];
  for (const root of new Set(all.map((item) => item.getRootNode()))) readRoot(root);
  return {
    document: performance.timeOrigin,
    fields: all.map(fieldOf),
    lines: [...lines].slice(0, 5_000).map(([text, tone]) => ({ text, tone })),
  };
};
