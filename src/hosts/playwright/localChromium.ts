// A browser for a `use` block: nothing where Playwright's own is installed, else the Chrome or Chromium of this machine.
import { findChromium, launchOptionsFor } from '../../system/browsers.js';

export function localChromium(): ReturnType<typeof launchOptionsFor> {
  return launchOptionsFor(findChromium());
}
