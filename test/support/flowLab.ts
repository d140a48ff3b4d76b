// A site, a browser, and flow-specs that run on both: what every test of flow-specs begins with.
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll } from 'vitest';
import { type FlowOptions, type FlowResult, runFlow } from '../browser/flowSpecRun.js';
import { type Answer, type Page, type Site, serveSite } from '../browser/flowSpecSite.js';
import { type Json, spec } from '../unit/formats/flowSpec/spec.js';
import { closeContexts, sharedChromium } from './chromium.js';

export type FlowLab = {
  site: Site;
  browser(): Browser;
  /** `rest`: other fields of the document; it begins at the root of the site unless they say otherwise. */
  run(steps: readonly Json[], rest?: Json, options?: Partial<FlowOptions>): Promise<FlowResult>;
};

export async function flowLab(
  pages: Answer | Readonly<Record<string, Page>>,
  settings: Partial<FlowOptions> & { host?: string } = {},
): Promise<FlowLab> {
  const { host = 'site.test', ...common } = settings;
  const site = await serveSite(typeof pages === 'function' ? pages : async ({ pathname }) => pages[pathname] ?? {}, host);
  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedChromium();
  });
  afterAll(async () => {
    await closeContexts(browser);
    site.close();
  });
  return {
    site,
    browser: () => browser,
    run: (steps, rest = {}, options = {}) =>
      runFlow(spec(steps, { url: `${site.origin}/`, ...rest }), {
        // Only events end a step, unless a test says otherwise.
        ...{ browser, allowPrivateHosts: [host], lookup: site.lookup, expectMs: 60_000, stepMs: 60_000 },
        ...common,
        ...options,
      }),
  };
}
