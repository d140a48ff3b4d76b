// These run in the page, by their own text: none may refer to anything outside of itself.

/** What the page is asked to show. */
export type Painted = {
  classes: readonly string[];
  width: string | undefined;
  /** Of the first line. */
  parts: readonly Part[];
  /** The lines below it, each cut to so many. */
  lines: readonly (Part & { most: number })[];
  /** For a docked HUD: the rule that makes room for it, with HEIGHT for its height. */
  room: string | undefined;
};

export type Part = { name: string; text: string };

/** Makes the element, under a name of its own, without showing it. */
export function buildHud({ tag, style }: { tag: string; style: string }): void {
  const page = globalThis as unknown as HudWindow;
  const { document, CSSStyleSheet } = page;
  const [host, box, sheet, room] = [
    document.createElement(tag),
    document.createElement('div'),
    new CSSStyleSheet(),
    new CSSStyleSheet(),
  ];
  const root = host.attachShadow({ mode: 'closed' });
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  box.setAttribute('aria-hidden', 'true');
  box.setAttribute('popover', 'manual');
  root.append(box);
  // Above what the page promotes later: a modal, another popover, an element in full screen.
  const promote = (): void => {
    if (!host.isConnected || !box.showPopover) return;
    if (box.matches(':popover-open')) box.hidePopover();
    box.showPopover();
  };
  Object.defineProperty(page, Symbol.for('recipewright.hud'), { value: { host, box, room, promote }, configurable: true });
}

/** Shows it; false where it is not built yet. A document that was written anew has lost its element and gets it back. */
export function paintHud({ classes, width, parts, lines, room }: Painted): boolean {
  const page = globalThis as unknown as HudWindow;
  const { document } = page;
  const hud = page[Symbol.for('recipewright.hud')];
  if (!hud) return false;
  // Between the commit of a page and its first element; it is painted again then.
  if (!document.documentElement) return true;
  const make = ({ name, text, most }: Part & { most?: number }): Box => {
    const box = document.createElement('div');
    box.className = name;
    box.textContent = text;
    if (most !== undefined) box.style.setProperty('--lines', String(most));
    return box;
  };
  const line = make({ name: 'line', text: '' });
  line.append(...parts.map(make));
  hud.box.replaceChildren(line, ...lines.map(make));
  hud.box.className = ['hud', ...classes].join(' ');
  hud.box.style.setProperty('--width', width ?? '');
  if (!hud.host.isConnected) document.documentElement.append(hud.host);
  hud.promote();
  for (const event of ['toggle', 'fullscreenchange']) document.addEventListener(event, hud.promote, true);
  if (room) hud.room.replaceSync(room.replaceAll('HEIGHT', `${hud.box.offsetHeight}px`));
  const others = document.adoptedStyleSheets.filter((sheet) => sheet !== hud.room);
  const wanted = room ? [...others, hud.room] : others;
  if (wanted.length !== document.adoptedStyleSheets.length) document.adoptedStyleSheets = wanted;
  return true;
}

/** Leaves the page as it was. */
export function removeHud(): void {
  const page = globalThis as unknown as HudWindow;
  const { document } = page;
  const hud = page[Symbol.for('recipewright.hud')];
  if (!hud) return;
  hud.host.remove();
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== hud.room);
}

// As much of a page as is used here; the project itself has no DOM.
type Sheet = { replaceSync(text: string): void };
type Box = {
  className: string;
  textContent: string;
  readonly offsetHeight: number;
  readonly isConnected: boolean;
  readonly style: { setProperty(name: string, value: string): void };
  setAttribute(name: string, value: string): void;
  append(...boxes: Box[]): void;
  replaceChildren(...boxes: Box[]): void;
  remove(): void;
  matches(selector: string): boolean;
  attachShadow(options: { mode: 'closed' }): { adoptedStyleSheets: Sheet[]; append(box: Box): void };
  showPopover(): void;
  hidePopover(): void;
};
type HudWindow = {
  [key: symbol]: { host: Box; box: Box; room: Sheet; promote(): void } | undefined;
  CSSStyleSheet: new () => Sheet;
  document: {
    documentElement: Box | null;
    adoptedStyleSheets: Sheet[];
    createElement(name: string): Box;
    addEventListener(event: string, listener: () => void, capture: boolean): void;
  };
};
