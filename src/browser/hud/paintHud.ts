// Functions that draw the HUD in the page, and its style sheet. Only their source text is sent to the page, so they must not
// use anything outside themselves.

export type HudContent = {
  classes: readonly string[];
  width: string | undefined;
  /** The parts of the first line. */
  parts: readonly HudPart[];
  /** The texts below the first line. The HUD shows at most `maxLines` lines of each. */
  lines: readonly (HudPart & { maxLines: number })[];
  /** For a docked HUD: a CSS rule that reserves space in the page. HEIGHT stands for the height of the HUD. */
  room: string | undefined;
};

export type HudPart = { name: string; text: string };

/** Creates the HUD element without showing it. */
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
  // Shows the popover again, so that it is above a modal, another popover or a full-screen element.
  const promote = (): void => {
    if (!host.isConnected || !box.showPopover) return;
    if (box.matches(':popover-open')) box.hidePopover();
    box.showPopover();
  };
  Object.defineProperty(page, Symbol.for('recipewright.hud'), { value: { host, box, room, promote }, configurable: true });
}

/** Returns false when the HUD is not built yet. Adds the element again when the page has replaced its document. */
export function paintHud({ classes, width, parts, lines, room }: HudContent): boolean {
  const page = globalThis as unknown as HudWindow;
  const { document } = page;
  const hud = page[Symbol.for('recipewright.hud')];
  if (!hud) return false;
  // The document has no root element yet. The HUD is painted again after the load.
  if (!document.documentElement) return true;
  const make = ({ name, text, maxLines }: HudPart & { maxLines?: number }): Box => {
    const box = document.createElement('div');
    box.className = name;
    box.textContent = text;
    if (maxLines !== undefined) box.style.setProperty('--lines', String(maxLines));
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
  const otherSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== hud.room);
  const sheets = room ? [...otherSheets, hud.room] : otherSheets;
  if (sheets.length !== document.adoptedStyleSheets.length) document.adoptedStyleSheets = sheets;
  return true;
}

export function removeHud(): void {
  const page = globalThis as unknown as HudWindow;
  const { document } = page;
  const hud = page[Symbol.for('recipewright.hud')];
  if (!hud) return;
  hud.host.remove();
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== hud.room);
}

// The parts of the DOM that are used here. The project is compiled without the types of the DOM.
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

const roomHeight = 'var(--recipewright-hud-room, HEIGHT)!important';

/** The custom property lets a screenshot without the HUD remove the reserved space, too. */
export const roomStyle = `:root { box-sizing: border-box!important; padding-bottom: ${roomHeight}; scroll-padding-bottom: ${roomHeight}; }`;

// No rule of :host is !important, as it would override the rules of a screenshot that hide the HUD. Nothing is inherited from
// the page and nothing is animated, so that screenshots of the same state are equal.
export const hudStyle = `
:host { display: contents; }
.hud {
  all: initial;
  display: var(--recipewright-hud, block);
  position: fixed;
  z-index: 2147483647;
  inset: auto;
  margin: 0;
  border: 1px solid rgb(255 255 255 / 16%);
  border-left: 4px solid var(--status);
  border-radius: 8px;
  padding: 10px 14px 10px 12px;
  box-sizing: border-box;
  width: min(var(--width), 100vw - 24px);
  overflow: hidden;
  background: #1a212b;
  box-shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 6px 20px rgb(0 0 0 / 28%);
  color: #f3f5f7;
  font: 400 14px/20px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", "DejaVu Sans", sans-serif;
  direction: ltr;
  visibility: visible;
  pointer-events: none;
  user-select: none;
  color-scheme: only dark;
  forced-color-adjust: none;
  --status: #58a6ff;
  --width: 880px;
}
.hud.pass, .hud.complete { --status: #3fb950; }
.hud.fail { --status: #ff7b72; }
.hud.skip, .hud.unknown { --status: #9aa4b0; }
.hud.top { top: 12px; }
.hud.bottom { bottom: 12px; }
.hud.left { left: 12px; }
.hud.right { right: 12px; }
.hud.center { left: 50%; transform: translateX(-50%); }
.hud.card { --width: 360px; padding: 12px 16px 12px 14px; }
.hud.docked-bottom {
  inset: auto 0 0 0;
  width: 100vw;
  border-width: 1px 0 0 4px;
  border-radius: 0;
  padding: 11px 16px 12px 14px;
  background: #161c25;
  box-shadow: none;
}
.line { display: flex; gap: 10px; align-items: baseline; }
.card .line { display: grid; grid-template-columns: auto 1fr; gap: 2px 8px; }
.status { flex: none; color: var(--status); font-weight: 700; letter-spacing: .04em; }
.count { flex: none; color: #b3bdc8; font-variant-numeric: tabular-nums; }
.intent { flex: 1 1 auto; min-width: 0; unicode-bidi: plaintext; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.title {
  flex: 0 1 auto; min-width: 0; max-width: 40%; color: #b3bdc8;
  unicode-bidi: plaintext; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
.card .title { order: -1; grid-column: 1 / -1; max-width: none; font-size: 12px; line-height: 16px; }
.card .intent {
  grid-column: 1 / -1; white-space: normal; overflow-wrap: anywhere;
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3;
}
.error, .detail, .debug {
  margin-top: 4px; font-size: 12px; line-height: 16px; color: #b3bdc8; overflow-wrap: anywhere; unicode-bidi: plaintext;
  overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: var(--lines, 2);
}
.error { color: #ffb3ad; }
.debug { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace; -webkit-line-clamp: 2; }
@media print { .hud { display: none; } }
`;
