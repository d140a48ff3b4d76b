// Run inside of a frame: they tell the texts it shows, and paint over parts of them without moving anything.
// Each must stand by itself, so that they share only what they leave in the frame.

/** `text`: all of its texts, one behind the other. `fields`: what each field shows, which stands in no text of the document. */
export type Texts = { text: string; fields: string[] };

/** In characters of `text`, and by number of `fields`. */
export type Spots = { places: { start: number; end: number }[]; fields: number[] };

/** What it read is remembered, so that spots can be named by numbers. */
export const readTexts = (): Texts => {
  const frame = globalThis as unknown as Frame;
  const key = Symbol.for('recipewright.covers');
  const pieces: Piece[] = [];
  const fields: Node[] = [];
  // Pages give such names to properties of their own.
  const shadowRootOf = Object.getOwnPropertyDescriptor(frame.Element.prototype, 'shadowRoot')?.get;
  let text = '';
  const walk = (root: Root): void => {
    const [elements, texts] = [1, 4];
    const nodes = frame.document.createTreeWalker(root, elements | texts);
    const inside: Root[] = [];
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
  const shownIn = ({ localName, value, placeholder, alt, label, textContent }: Node): string =>
    [value, placeholder, alt, label, localName === 'select' ? textContent : '']
      .filter((said) => typeof said === 'string')
      .join('\n');
  walk(frame.document);
  frame[key] = { roots: new Set(), marked: new Set(), ...frame[key], pieces, fields };
  return { text, fields: fields.map(shownIn) };
};

/** How much of the spots was not covered yet. */
export const layCovers = ({ places, fields }: Spots): number => {
  const frame = globalThis as unknown as Frame;
  const { document, CSS } = frame;
  const name = 'recipewright-covers';
  const covers = frame[Symbol.for('recipewright.covers')] as Covers;
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
  let laid = 0;
  const style = (node: Node): void => {
    const root = node.getRootNode();
    if (root.adoptedStyleSheets.includes(sheet)) return;
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    roots.add(root);
    laid++;
  };
  const mark = (element: Node, how: 'all' | 'flat'): void => {
    style(element);
    const known = element.getAttribute(`data-${name}`);
    if (known === how || known === 'all') return;
    element.setAttribute(`data-${name}`, how);
    marked.add(element);
    laid++;
  };
  const highlight = (node: Node, start: number, end: number): void => {
    style(node);
    // A shadow falls beside the highlight.
    if (node.parentElement && frame.getComputedStyle(node.parentElement).textShadow !== 'none') mark(node.parentElement, 'flat');
    const all = CSS.highlights?.get(name) ?? new frame.Highlight();
    all.priority = 1_000_000;
    CSS.highlights?.set(name, all);
    const isUnder = (range: Range): boolean =>
      range.startContainer === node && range.endContainer === node && range.startOffset <= start && range.endOffset >= end;
    if ([...all].some(isUnder)) return;
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, end);
    all.add(range);
    laid++;
  };
  const cover = (node: Node, start: number, end: number): void => {
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
  for (const field of fields) mark(covers.fields[field] as Node, 'all');
  return laid;
};

/** The frame is as it was before. */
export const liftCovers = (): void => {
  const frame = globalThis as unknown as Frame;
  const key = Symbol.for('recipewright.covers');
  const { sheet, roots, marked } = frame[key] ?? {};
  for (const root of roots ?? []) root.adoptedStyleSheets = [...root.adoptedStyleSheets].filter((each) => each !== sheet);
  for (const element of marked ?? []) element.removeAttribute('data-recipewright-covers');
  frame.CSS.highlights?.delete('recipewright-covers');
  delete frame[key];
};

type Frame = {
  document: Root & {
    createTreeWalker(root: Root, what: number): { nextNode(): Node | null };
    createRange(): Range & { setStart(node: Node, at: number): void; setEnd(node: Node, at: number): void };
  };
  CSS: {
    highlights?: {
      get(name: string): Highlight | undefined;
      set(name: string, all: Highlight): void;
      delete(name: string): void;
    };
  };
  Highlight: new () => Highlight;
  CSSStyleSheet: new () => Sheet;
  Element: { prototype: object };
  getComputedStyle(element: Node): { textShadow: string };
  [key: symbol]: Covers | undefined;
};
type Covers = { pieces: Piece[]; fields: Node[]; roots: Set<Root>; marked: Set<Node>; sheet?: Sheet };
type Piece = { node: Node; start: number; end: number };
type Root = { adoptedStyleSheets: Sheet[] };
type Sheet = { replaceSync(rules: string): void };
type Range = { startContainer: Node; endContainer: Node; startOffset: number; endOffset: number };
type Highlight = Iterable<Range> & { priority: number; add(range: Range): void };
type Node = {
  nodeType: number;
  /** Of a text. */
  data: string;
  localName: string;
  textContent: string;
  value?: unknown;
  placeholder?: unknown;
  alt?: unknown;
  label?: unknown;
  parentElement: Node | null;
  getRootNode(): Root;
  closest(selector: string): Node | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
};
