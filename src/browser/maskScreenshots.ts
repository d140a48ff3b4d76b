// Hides secrets in screenshots. The page sends its texts, and this side finds the secrets in them, so that no secret is ever
// sent to the page.
import type { Frame, Page } from '@playwright/test';
import { RecipeError } from '../evidence/recipeError.js';
import type { Call } from './pageCalls.js';
import { isNavigationError } from './pageFacts.js';
import { type RunPagesOptions, runPagesOf } from './runPages.js';

type EvaluableFrame = { evaluate(pageFunction: unknown, argument?: unknown): Promise<unknown> };
type Evaluate = (frame: Frame, pageFunction: unknown, argument?: unknown) => Promise<unknown>;
type FindSecrets = NonNullable<RunPagesOptions['secretsIn']>;

const maxTries = 5;

/** Repeats a screenshot when a secret appeared while it was taken. Does nothing for a run without secrets. */
export async function takeWithSecretsMasked<T>(page: Page, take: () => Promise<T>, call?: Call): Promise<T> {
  const { secretsIn } = runPagesOf(page).options;
  if (!secretsIn) return take();
  const evaluate: Evaluate = (frame, pageFunction, argument) =>
    call
      ? call(frame as unknown as EvaluableFrame, 'evaluate', pageFunction, argument)
      : (frame as unknown as EvaluableFrame).evaluate(pageFunction, argument);
  const covered = new Set<Frame>();
  const coverFrames = async (): Promise<boolean> => {
    const frames = page.frames();
    const changed = await Promise.all(frames.map((frame) => coverFrame(frame, evaluate, secretsIn)));
    for (const [index, frame] of frames.entries()) if (changed[index]) covered.add(frame);
    return changed.some(Boolean);
  };
  try {
    await coverFrames();
    for (let triesLeft = maxTries; triesLeft > 0; triesLeft--) {
      const picture = await take();
      if (!(await coverFrames())) return picture;
    }
  } finally {
    // A frame that navigated or closed has lost its covers already.
    await Promise.all([...covered].map((frame) => evaluate(frame, removeCovers).catch(() => undefined)));
  }
  const message = `${page.url()} keeps showing a secret in new places, so no screenshot without it could be taken. Use ui.wait_for to wait until the page is stable.`;
  throw new RecipeError('ui.page_moves', 'action', message);
}

/** True when something new was covered, and when the frame navigated, as its content is unknown then. */
async function coverFrame(frame: Frame, evaluate: Evaluate, secretsIn: FindSecrets): Promise<boolean> {
  try {
    const spots = findSecretSpots((await evaluate(frame, readTexts)) as FrameTexts, secretsIn);
    if (spots.places.length === 0 && spots.fields.length === 0) return false;
    return ((await evaluate(frame, addCovers, spots)) as number) > 0;
  } catch (thrown) {
    if (frame.isDetached() || isNavigationError(thrown)) return true;
    throw thrown;
  }
}

function findSecretSpots({ text, fields }: FrameTexts, secretsIn: FindSecrets): SecretSpots {
  const secretFields = [...fields.keys()].filter((index) => secretsIn(fields[index] as string).length > 0);
  return { places: secretsIn(text), fields: secretFields };
}

/** `text`: all text nodes of the frame, concatenated. `fields`: the text of each form field, which is in no text node. */
type FrameTexts = { text: string; fields: string[] };

/** `places`: ranges of `text`. `fields`: indexes of `fields`. */
type SecretSpots = { places: { start: number; end: number }[]; fields: number[] };

// The next three functions run in the frame, without access to this module. They share state through a property of the window.

/** Remembers the nodes it read, so that `addCovers` can find them by position. */
const readTexts = (): FrameTexts => {
  const frame = globalThis as unknown as CoverWindow;
  const key = Symbol.for('recipewright.covers');
  const pieces: TextPiece[] = [];
  const fields: PageNode[] = [];
  // Read from the prototype, because a page can define a property of this name on its elements.
  const shadowRootOf = Object.getOwnPropertyDescriptor(frame.Element.prototype, 'shadowRoot')?.get;
  let text = '';
  const walk = (root: StyleRoot): void => {
    const [elements, texts] = [1, 4];
    const nodes = frame.document.createTreeWalker(root, elements | texts);
    const shadowRoots: StyleRoot[] = [];
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      if (node.nodeType === 3) {
        const start = text.length;
        text += node.data;
        pieces.push({ node, start, end: text.length });
        continue;
      }
      if (/^(input|textarea|select|optgroup|img)$/.test(node.localName)) fields.push(node);
      const root = shadowRootOf?.call(node);
      if (root) shadowRoots.push(root);
    }
    for (const shadowRoot of shadowRoots) walk(shadowRoot);
  };
  const fieldTextOf = ({ localName, value, placeholder, alt, label, textContent }: PageNode): string =>
    [value, placeholder, alt, label, localName === 'select' ? textContent : '']
      .filter((part) => typeof part === 'string')
      .join('\n');
  walk(frame.document);
  frame[key] = { roots: new Set(), marked: new Set(), ...frame[key], pieces, fields };
  return { text, fields: fields.map(fieldTextOf) };
};

/** Returns how many covers it added. Covers change no layout. */
const addCovers = ({ places, fields }: SecretSpots): number => {
  const frame = globalThis as unknown as CoverWindow;
  const { document, CSS } = frame;
  const name = 'recipewright-covers';
  const covers = frame[Symbol.for('recipewright.covers')] as CoverState;
  const hidden = ['color', '-webkit-text-fill-color', '-webkit-text-stroke-color', 'fill', 'stroke'];
  const paint = `background-color:#f0f!important;text-shadow:none!important;${hidden.map((each) => `${each}:transparent!important;`).join('')}`;
  const marks = `[data-${name}=all],[data-${name}=all] *,[data-${name}=all]::placeholder`;
  covers.sheet ??= new frame.CSSStyleSheet();
  const { sheet, roots, marked } = covers;
  const rules = [
    `::highlight(${name}),::selection{${paint}}`,
    `${marks}{${paint}background-image:none!important;transition:none!important}`,
    `[data-${name}]{text-shadow:none!important}`,
  ];
  sheet.replaceSync(rules.join(' '));
  let added = 0;
  const adoptSheet = (node: PageNode): void => {
    const root = node.getRootNode();
    if (root.adoptedStyleSheets.includes(sheet)) return;
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    roots.add(root);
    added++;
  };
  const mark = (element: PageNode, mode: 'all' | 'flat'): void => {
    adoptSheet(element);
    const known = element.getAttribute(`data-${name}`);
    if (known === mode || known === 'all') return;
    element.setAttribute(`data-${name}`, mode);
    marked.add(element);
    added++;
  };
  const highlight = (node: PageNode, start: number, end: number): void => {
    adoptSheet(node);
    // The text shadow is drawn outside the highlight and would show the text.
    if (node.parentElement && frame.getComputedStyle(node.parentElement).textShadow !== 'none') mark(node.parentElement, 'flat');
    const all = CSS.highlights?.get(name) ?? new frame.Highlight();
    all.priority = 1_000_000;
    CSS.highlights?.set(name, all);
    const isCovered = (range: PageRange): boolean =>
      range.startContainer === node && range.endContainer === node && range.startOffset <= start && range.endOffset >= end;
    if ([...all].some(isCovered)) return;
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, end);
    all.add(range);
    added++;
  };
  const cover = (node: PageNode, start: number, end: number): void => {
    const { parentElement: parent } = node;
    // Highlights do not work in <select> and in SVG.
    const whole = parent?.closest('select') ?? (!CSS.highlights || parent?.closest('svg') ? parent : null);
    const { length } = node.data;
    if (whole) mark(whole, 'all');
    else highlight(node, Math.min(start, length), Math.min(end, length));
  };
  for (const piece of covers.pieces)
    for (const { start, end } of places)
      if (start < piece.end && end > piece.start)
        cover(piece.node, Math.max(0, start - piece.start), Math.min(end, piece.end) - piece.start);
  for (const field of fields) mark(covers.fields[field] as PageNode, 'all');
  return added;
};

const removeCovers = (): void => {
  const frame = globalThis as unknown as CoverWindow;
  const key = Symbol.for('recipewright.covers');
  const { sheet, roots, marked } = frame[key] ?? {};
  for (const root of roots ?? []) root.adoptedStyleSheets = [...root.adoptedStyleSheets].filter((each) => each !== sheet);
  for (const element of marked ?? []) element.removeAttribute('data-recipewright-covers');
  frame.CSS.highlights?.delete('recipewright-covers');
  delete frame[key];
};

type CoverWindow = {
  document: StyleRoot & {
    createTreeWalker(root: StyleRoot, what: number): { nextNode(): PageNode | null };
    createRange(): PageRange & { setStart(node: PageNode, at: number): void; setEnd(node: PageNode, at: number): void };
  };
  CSS: {
    highlights?: {
      get(name: string): PageHighlight | undefined;
      set(name: string, all: PageHighlight): void;
      delete(name: string): void;
    };
  };
  Highlight: new () => PageHighlight;
  CSSStyleSheet: new () => StyleSheet;
  Element: { prototype: object };
  getComputedStyle(element: PageNode): { textShadow: string };
  [key: symbol]: CoverState | undefined;
};
type CoverState = { pieces: TextPiece[]; fields: PageNode[]; roots: Set<StyleRoot>; marked: Set<PageNode>; sheet?: StyleSheet };
type TextPiece = { node: PageNode; start: number; end: number };
type StyleRoot = { adoptedStyleSheets: StyleSheet[] };
type StyleSheet = { replaceSync(rules: string): void };
type PageRange = { startContainer: PageNode; endContainer: PageNode; startOffset: number; endOffset: number };
type PageHighlight = Iterable<PageRange> & { priority: number; add(range: PageRange): void };
type PageNode = {
  nodeType: number;
  /** Only of text nodes. */
  data: string;
  localName: string;
  textContent: string;
  value?: unknown;
  placeholder?: unknown;
  alt?: unknown;
  label?: unknown;
  parentElement: PageNode | null;
  getRootNode(): StyleRoot;
  closest(selector: string): PageNode | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
};
