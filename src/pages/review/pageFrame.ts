// The HTML document around every page. It loads nothing, and its Content Security Policy allows only its own script.
import { hash } from 'node:crypto';
import { graphStyle } from '../graph/graphStyle.js';
import { type Html, html, raw } from '../html.js';

type PageParts = { title: string; header: Html; main: readonly (Html | undefined)[]; script: string };

export function pageFrame({ title, header, main, script }: PageParts): string {
  const { text } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(script)}"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${raw(pageStyle)}</style></head>
<body><a class="skip" href="#main">Skip to the evidence</a>
${header}
<main id="main" tabindex="-1">${main}</main>
<footer><p>Written by recipewright from recipes and the journals of their runs. This page loads nothing from the network.</p></footer>
<script>${raw(script)}</script></body></html>
`;
  return text;
}

function contentSecurityPolicy(script: string): string {
  return [
    "default-src 'none'",
    "img-src 'self' file: data:",
    "media-src 'self' file:",
    `style-src 'sha256-${hash('sha256', pageStyle, 'base64')}'`,
    `script-src 'sha256-${hash('sha256', script, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

type Palette = Readonly<
  Record<'ground' | 'panel' | 'line' | 'text' | 'dim' | 'link' | 'good' | 'bad' | 'open' | 'claim' | 'tint', string>
>;

/** Text and signs have a contrast of at least 4.5 to their background. */
export const palettes: Readonly<Record<'light' | 'dark', Palette>> = {
  light: {
    ground: '#f5f6f8',
    panel: '#ffffff',
    line: '#d9dde3',
    text: '#1c2430',
    dim: '#566170',
    link: '#1f5fbf',
    good: '#17703f',
    bad: '#b3261e',
    open: '#7d5200',
    claim: '#5b3fb0',
    tint: '#eef1f5',
  },
  dark: {
    ground: '#12161c',
    panel: '#1a2029',
    line: '#333c48',
    text: '#e8ebf0',
    dim: '#a9b3c0',
    link: '#8ab8ff',
    good: '#62d095',
    bad: '#ff8f8a',
    open: '#e8bb66',
    claim: '#bfaeff',
    tint: '#242c37',
  },
};

function variables(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');
}

const pageStyle = `
:root{color-scheme:light dark;${variables(palettes.light)}}
@media (prefers-color-scheme:dark){:root{${variables(palettes.dark)}}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
a{color:var(--link)}a:focus-visible,summary:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:-999px}.skip:focus{left:16px;top:8px;background:var(--panel);padding:6px 12px;z-index:2}
header,main,footer{max-width:1240px;margin:0 auto;padding:0 24px}
header{padding-top:28px}h1{font-size:26px;line-height:1.25;margin:2px 0 12px;overflow-wrap:anywhere}
h2{font-size:18px;margin:0 0 14px}h3{font-size:13px;margin:10px 0 4px;color:var(--dim)}
.eyebrow,.dim,.who,.ms,figcaption{color:var(--dim);font-size:13px}.eyebrow{margin:0;overflow-wrap:anywhere}
.verdict{display:flex;gap:14px;align-items:center;background:var(--panel);border:1px solid var(--line);border-left:6px solid var(--open);border-radius:10px;padding:14px 18px;margin:0 0 16px;font-size:17px}
.verdict.good{border-left-color:var(--good)}.verdict.bad{border-left-color:var(--bad)}.verdict p{margin:0;overflow-wrap:anywhere;min-width:0}
.badge{display:inline-block;border:1.5px solid currentColor;border-radius:999px;padding:1px 10px;font-weight:650;white-space:nowrap;font-size:13px}
.verdict .badge{font-size:17px;padding:3px 14px}
.good{color:var(--good)}.bad{color:var(--bad)}.open{color:var(--open)}.quiet{color:var(--dim)}.verdict.good,.verdict.bad,.verdict.open{color:var(--text)}
nav ul{display:flex;flex-wrap:wrap;gap:6px 18px;list-style:none;padding:0;margin:0 0 18px}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(230px,1fr));gap:10px 24px;margin:0 0 18px}.facts dt{color:var(--dim);font-size:12px}.facts dd{margin:0;overflow-wrap:anywhere}
section{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:18px 20px;margin:0 0 18px}
.scroll{overflow:auto;max-width:100%}.picture{max-height:75vh}.picture svg{display:block;margin:0 auto}
table{border-collapse:collapse;width:100%;font-size:14px}th,td{text-align:left;vertical-align:top;padding:10px 14px 10px 0;border-top:1px solid var(--line)}thead th{border-top:0;color:var(--dim);font-size:12px;font-weight:600}tbody th{font-weight:400;overflow-wrap:anywhere;min-width:180px}.number{text-align:right;white-space:nowrap}
.tag{color:var(--claim);font-size:12px;font-weight:650;white-space:nowrap}
code,pre,.value,.values dd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12.5px}.digest{overflow-wrap:anywhere}
pre{background:var(--tint);border-radius:6px;padding:10px 12px;margin:0;max-height:320px;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.asserts{list-style:none;margin:6px 0;padding:0}.asserts .asserts{padding-left:18px}.asserts li{margin:4px 0}.subject{overflow-wrap:anywhere}
.values{display:grid;grid-template-columns:max-content 1fr;gap:0 10px;margin:2px 0 6px 20px}.values dt{color:var(--dim);font-size:12px}.values dd{margin:0;overflow-wrap:anywhere;white-space:pre-wrap}
figure{display:inline-block;margin:4px 12px 8px 0;vertical-align:top;max-width:100%}figure img,figure video{display:block;max-width:100%;width:260px;border:1px solid var(--line);border-radius:6px;background:var(--tint);min-height:40px}figcaption{max-width:260px;overflow-wrap:anywhere}
#claims td:last-child{width:46%;min-width:230px}#claims td figure img,#claims td figure video{width:210px}#claims td figcaption{max-width:210px}
.gallery figure img,.gallery figure video{width:360px}.gallery figcaption{max-width:360px}
.hud,body:has(#hud:checked) .plain{display:none}body:has(#hud:checked) .hud{display:inline}
.slide{display:grid}.slide>div{grid-area:1/1}.slide .later{clip-path:inset(0 0 0 var(--at,50%))}.range{display:flex;gap:8px;align-items:center;color:var(--dim);font-size:12px;margin-top:4px}.range input{flex:1;min-width:0;padding:0}
.line{list-style:none;margin:0;padding:0}.line .line{margin-left:16px;border-left:2px solid var(--line);padding-left:10px}
.entry{border-top:1px solid var(--line);content-visibility:auto;contain-intrinsic-block-size:auto 39px}.entry[hidden]{display:none}
summary{cursor:pointer}.line summary{display:flex;gap:10px;align-items:baseline;padding:8px 4px;list-style:none}.line summary::-webkit-details-marker{display:none}.line summary::before{content:"▸" / "";color:var(--dim)}.line details[open]>summary::before{content:"▾" / ""}
.what{font-weight:550;overflow-wrap:anywhere;min-width:0}.who{overflow-wrap:anywhere;min-width:0}.ms{margin-left:auto;white-space:nowrap}.sign{font-weight:700;white-space:nowrap}
.body{padding:2px 4px 12px 28px}.error,.note,.issue{border-left:4px solid var(--bad);background:var(--tint);border-radius:4px;padding:8px 12px;white-space:pre-wrap;overflow-wrap:anywhere;margin:6px 0}.note,.issue{border-left-color:var(--open)}
.attempt{border-left:2px dashed var(--line);padding-left:12px;margin:8px 0}.flow{margin-top:10px}
.tools{display:flex;flex-wrap:wrap;gap:10px 16px;align-items:center;margin-bottom:12px}input,select,button{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--dim);border-radius:6px;padding:4px 10px}button{cursor:pointer}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.entry:target>details>summary{background:var(--tint)}
.two{display:grid;grid-template-columns:1fr 1fr;gap:0 32px;overflow-wrap:anywhere}.quiet-h{display:inline;font-size:15px;font-weight:400}.pairs td{overflow-wrap:anywhere;min-width:160px}
.rest{margin:-6px 0 16px}
tr[hidden]{display:none}.path{display:block;color:var(--dim);font-size:12px}.claim{white-space:nowrap;margin-right:8px}
.covers{display:grid;grid-template-columns:repeat(auto-fill,minmax(280px,1fr));gap:8px 32px}.cover h3{color:var(--text)}meter{width:100%;height:14px}.cover li{overflow-wrap:anywhere}
footer{color:var(--dim);font-size:13px;padding-bottom:40px}
@media print{.tools,nav{display:none}.scroll,pre{max-height:none;overflow:visible}}
${graphStyle}`;
