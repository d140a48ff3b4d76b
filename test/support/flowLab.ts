// The setup of the flow-spec tests: a site, a browser, and a function that runs a flow-spec on the site.
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll } from 'vitest';
import { type FlowOptions, type FlowResult, runFlow } from '../browser/flowSpecRun.js';
import { type Answer, type Page, type Site, serveSite } from '../browser/flowSpecSite.js';
import { type Json, spec } from '../unit/formats/flowSpec/spec.js';
import { closeContexts, sharedChromium } from './chromium.js';

export type FlowLab = {
  site: Site;
  browser(): Browser;
  /** Runs a flow-spec with these steps. `rest` has its other fields. By default, the flow begins at the root of the site. */
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
        // The timeouts are long, so that only events end a step, unless a test sets shorter ones.
        ...{ browser, allowPrivateHosts: [host], lookup: site.lookup, expectMs: 60_000, stepMs: 60_000 },
        ...common,
        ...options,
      }),
  };
}
