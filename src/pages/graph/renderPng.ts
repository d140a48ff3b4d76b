// Renders an SVG as PNG in a browser, because only a browser draws the text with the fonts of the machine.
import type { Page } from '@playwright/test';
import { launchBrowser } from '../../browser/launch/launchBrowser.js';
import { LaunchError } from '../../browser/launch/launchError.js';
import { loadPlaywright } from '../../browser/launch/loadPlaywright.js';

const advice = {
  playwright: 'Run "npm install -D @playwright/test", or use --format svg, which needs no browser.',
  browser: 'Run "npx playwright install chromium", or use --format svg, which needs no browser.',
};

/** Chromium renders nothing beyond this many pixels. */
const maxSidePixels = 16_000;

/** @throws LaunchError when no browser starts */
export async function renderPng(svg: string, projectRoot: string): Promise<Uint8Array> {
  if (!loadPlaywright(projectRoot)) {
    const message = `A PNG needs a browser, but the project ${projectRoot} has no Playwright to start one.`;
    throw new LaunchError('graph.no_playwright', message, advice.playwright);
  }
  const { page, close } = await launchBrowser({}, { projectRoot, advice });
  try {
    return await screenshotSvg(page, svg);
  } finally {
    await close();
  }
}

async function screenshotSvg(page: Page, svg: string): Promise<Uint8Array> {
  const [, width = '1', height = '1'] = /^<svg [^>]*width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  const scale = Math.min(1, maxSidePixels / Math.max(Number(width), Number(height)));
  const size = { width: Math.ceil(Number(width) * scale), height: Math.ceil(Number(height) * scale) };
  await page.setViewportSize(size);
  const scaledSvg = svg.replace(/ width="[\d.]+" height="[\d.]+"/, ` width="${size.width}" height="${size.height}"`);
  // The SVG needs no script, so the policy allows none.
  await page.setContent(
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><style>body{margin:0}svg{display:block}</style>${scaledSvg}`,
  );
  return page.screenshot({ type: 'png' });
}
