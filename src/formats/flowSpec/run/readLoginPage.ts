// Reads the form fields and visible lines of a page, to tell whether a login was rejected. Runs in the page.

export type FormField = {
  name: string;
  id: string;
  type: string;
  /** Identifies the form of the field: the URL in its action, or the URL of the page. */
  action: string;
  isShown: boolean;
  isEmpty: boolean;
  /** Marked as invalid by aria-invalid, by a class of the field or of its parents, or by the browser. */
  isMarked: boolean;
  /** The form has one field for an existing password and few other fields. */
  isLogin: boolean;
};

type PageLine = { text: string; tone: 'error' | 'success' | 'alert' | 'form' | 'plain' };

/** `document` identifies the document until the next navigation. */
export type LoginPage = { document: number; fields: FormField[]; lines: PageLine[] };

export const fieldSelector = 'input:not([type=hidden]),textarea';

/** Runs in the page. One long function, because only its own source code is sent to the page. */
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
  const errorWords = new Set('error errors erroneous invalid danger failed failure incorrect destructive'.split(' '));
  const successWords = new Set('success successful saved confirmation confirmed positive welcome'.split(' '));
  const namingAttributes = ['class', 'id', 'data-testid'];
  // Matches "inputError", "has-error" and "field_with_errors", but not "no-error", nor "ng-invalid" of untouched fields.
  const hasNameWord = (item: Item, words: ReadonlySet<string>): boolean =>
    namingAttributes.some((name) =>
      (item.getAttribute(name) ?? '').split(/\s+/).some((className) => {
        const parts = className
          .replace(/([a-z])([A-Z])/g, '$1 $2')
          .toLowerCase()
          .split(/[^a-z]+/);
        return parts.some((part) => words.has(part)) && !parts.some((part) => /^(no|not|ng|hide|hidden|boundary)$/.test(part));
      }),
    );
  const isShown = (item: Item): boolean => item.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const isMarked = (item: Item): boolean => {
    if (item.getAttribute('aria-invalid') === 'true') return true;
    // A form that clears its field after a submit has not marked the field.
    if (item.value !== '' && item.matches(':user-invalid')) return true;
    const nearby = [item, item.parentElement, item.parentElement?.parentElement ?? null];
    return nearby.some((each) => each !== null && each.tagName !== 'BODY' && hasNameWord(each, errorWords));
  };
  const normalizeUrl = (href: string): string => {
    const { origin, pathname, hash } = new URL(href, location.href);
    return `${origin}${pathname}${/^#[/!]/.test(hash) ? hash : ''}`;
  };
  const fieldOf = (item: Item): FormField => {
    const form = item.form ?? item.getRootNode();
    const inputs = [...form.querySelectorAll('input,textarea,select')].filter(isShown);
    const visibleInputs = inputs.filter(({ type = '' }) => !/^(submit|button|reset|image|checkbox|radio)$/.test(type));
    const passwords = visibleInputs.filter(({ type }) => type === 'password');
    const hasAutocomplete = (input: Item | undefined, token: string): boolean =>
      input?.getAttribute('autocomplete')?.includes(token) === true;
    const hasOnePassword = passwords.length === 1 && visibleInputs.length <= 3 && !hasAutocomplete(passwords[0], 'new-password');
    return {
      name: item.name ?? '',
      id: item.id ?? '',
      type: item.type ?? '',
      isShown: isShown(item),
      isEmpty: item.value === '',
      // Reads the attribute, because a field named "action" would replace the property.
      action: normalizeUrl(item.form?.getAttribute('action') || location.href),
      isMarked: isMarked(item),
      isLogin: hasOnePassword || hasAutocomplete(item, 'one-time-code'),
    };
  };
  const linesOf = (item: Item): string[] =>
    (item.innerText ?? '')
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ').trim().slice(0, 10_000))
      .filter((line) => line !== '');
  const lines = new Map<string, PageLine['tone']>();
  const readRoot = (root: Root): void => {
    const findShown = (selector: string): Item[] => [...root.querySelectorAll(selector)].filter(isShown);
    // Labels and captions of buttons, such as "Please wait", are no messages about the login.
    const labels = new Set(findShown('button,[role=button],label,legend,option').flatMap(linesOf));
    const addLines = (tone: PageLine['tone'], areas: Item[]): void => {
      for (const line of areas.flatMap(linesOf)) if (!labels.has(line) && !lines.has(line)) lines.set(line, tone);
    };
    const namedAreas = findShown('[class],[id],[data-testid]').filter(({ tagName, innerText = '' }) => {
      return !/^(HTML|BODY|MAIN|FORM|INPUT)$/.test(tagName) && innerText.length < 500;
    });
    addLines(
      'success',
      namedAreas.filter((item) => hasNameWord(item, successWords)),
    );
    addLines(
      'error',
      namedAreas.filter((item) => hasNameWord(item, errorWords)),
    );
    addLines('alert', findShown('[role=alert],[aria-live=assertive]'));
    addLines('form', findShown('form'));
    addLines('plain', root.body ? [root.body] : [...root.children].filter(({ tagName }) => tagName !== 'STYLE'));
  };
  const all = items as readonly Item[];
  for (const root of new Set(all.map((item) => item.getRootNode()))) readRoot(root);
  return {
    document: performance.timeOrigin,
    fields: all.map(fieldOf),
    lines: [...lines].slice(0, 5_000).map(([text, tone]) => ({ text, tone })),
  };
};
