// Keeps the secrets of a run out of a picture, wherever its page shows them as text: what holds one is told apart here,
// so that no secret has to go to the page.
import type { Frame, Page } from '@playwright/test';
import { RecipeError } from '../evidence/recipeError.js';
import type { Call } from './pageCalls.js';
import { isNavigationError } from './pageFacts.js';
import { type RunPagesOptions, runPagesOf } from './runPages.js';

type EvaluableFrame = { evaluate(work: unknown, given?: unknown): Promise<unknown> };
type Evaluate = (frame: Frame, work: unknown, given?: unknown) => Promise<unknown>;
type FindSecrets = NonNullable<RunPagesOptions['secretsIn']>;

const maxTries = 5;

/** Takes a picture again when a secret came into sight meanwhile. A page of a run without secrets is not asked. */
export async function coverSecrets<T>(page: Page, take: () => Promise<T>, call?: Call): Promise<T> {
  const { secretsIn } = runPagesOf(page).options;
  if (!secretsIn) return take();
  const evaluate: Evaluate = (frame, work, given) =>
    call
      ? call(frame as unknown as EvaluableFrame, 'evaluate', work, given)
      : (frame as unknown as EvaluableFrame).evaluate(work, given);
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
    // A frame that is left or closed takes its covers along.
    await Promise.all([...covered].map((frame) => evaluate(frame, removeCovers).catch(() => undefined)));
  }
  const message = `${page.url()} shows a secret in ever new places, so that no picture without it could be taken. Wait with ui.wait_for until it has come to rest.`;
  throw new RecipeError('ui.page_moves', 'action', message);
}

/** Whether something had to be covered, or nobody can say. */
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

// Run inside of a frame: they tell the texts it shows, and paint over parts of them without moving anything.
// Each must stand by itself, so that they share only what they leave in the frame.

/** `text`: all of its texts, one behind the other. `fields`: what each field shows, which stands in no text of the document. */
type FrameTexts = { text: string; fields: string[] };

/** In characters of `text`, and by number of `fields`. */
type SecretSpots = { places: { start: number; end: number }[]; fields: number[] };

/** What it read is remembered, so that spots can be named by numbers. */
const readTexts = (): FrameTexts => {
  const frame = globalThis as unknown as CoverWindow;
  const key = Symbol.for('recipewright.covers');
  const pieces: TextPiece[] = [];
  const fields: PageNode[] = [];
  // Pages give such names to properties of their own.
  const shadowRootOf = Object.getOwnPropertyDescriptor(frame.Element.prototype, 'shadowRoot')?.get;
  let text = '';
  const walk = (root: StyleRoot): void => {
    const [elements, texts] = [1, 4];
    const nodes = frame.document.createTreeWalker(root, elements | texts);
    const inside: StyleRoot[] = [];
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      if (node.nodeType === 3) {
        const start = text.length;
        text += node.data;
        pieces.push({ node, start, end: text.length });
        continue;
      }
      if (/^(input|textarea|select|optgroup|img)$/.test(node.localName)) fields.push(node);
      const root = shadowRootOf?.call(node);
      if (root) inside.push(root);
    }
    for (const each of inside) walk(each);
  };
  const fieldTextOf = ({ localName, value, placeholder, alt, label, textContent }: PageNode): string =>
    [value, placeholder, alt, label, localName === 'select' ? textContent : '']
      .filter((part) => typeof part === 'string')
      .join('\n');
  walk(frame.document);
  frame[key] = { roots: new Set(), marked: new Set(), ...frame[key], pieces, fields };
  return { text, fields: fields.map(fieldTextOf) };
};

/** How much of the spots was not covered yet. */
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
    // A shadow falls beside the highlight.
    if (node.parentElement && frame.getComputedStyle(node.parentElement).textShadow !== 'none') mark(node.parentElement, 'flat');
    const all = CSS.highlights?.get(name) ?? new frame.Highlight();
    all.priority = 1_000_000;
    CSS.highlights?.set(name, all);
    const isUnder = (range: PageRange): boolean =>
      range.startContainer === node && range.endContainer === node && range.startOffset <= start && range.endOffset >= end;
    if ([...all].some(isUnder)) return;
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, end);
    all.add(range);
    added++;
  };
  const cover = (node: PageNode, start: number, end: number): void => {
    const { parentElement: parent } = node;
    // What a list shows, and what is drawn, takes no highlight.
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

/** The frame is as it was before. */
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
  /** Of a text. */
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
