// How the HUD looks. What it inherits from the page can hide it in a picture: its element has another name in every run, so that no
// recipe can select it. A page whose policy allows no styles but its own would refuse that; evidence is taken by `withoutHud`.

const room = 'var(--recipewright-hud-room, HEIGHT)!important';

/** The room that the page makes for a docked HUD, so high; a picture without the HUD does not show it either. */
export const roomStyle = `:root { box-sizing: border-box!important; padding-bottom: ${room}; scroll-padding-bottom: ${room}; }`;

// Nothing in :host is important: an important rule in here beats every rule of the page and of a screenshot.
// No colour, font or size is inherited from the page, and nothing moves: pictures of one state are alike.
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
