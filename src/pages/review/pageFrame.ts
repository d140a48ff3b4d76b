// What every page of ours is inside of: one file that loads nothing, and in which only our own script runs.
import { hash } from 'node:crypto';
import { type Html, html, raw } from '../html.js';
import { pageStyle } from './pageStyle.js';

export type PageParts = { title: string; header: Html; main: readonly (Html | undefined)[]; script: string };

export function pageFrame({ title, header, main, script }: PageParts): string {
  const { text } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policyFor(script)}"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${raw(pageStyle)}</style></head>
<body><a class="skip" href="#main">Skip to the evidence</a>
${header}
<main id="main" tabindex="-1">${main}</main>
<footer><p>Written by recipewright from recipes and the journals of their runs. This page loads nothing from the network.</p></footer>
<script>${raw(script)}</script></body></html>
`;
  return text;
}

function policyFor(script: string): string {
  return [
    "default-src 'none'",
    "img-src 'self' file: data:",
    "media-src 'self' file:",
    `style-src 'sha256-${hash('sha256', pageStyle, 'base64')}'`,
    `script-src 'sha256-${hash('sha256', script, 'base64')}'`,
    ...["base-uri 'none'", "form-action 'none'"],
  ].join('; ');
}
