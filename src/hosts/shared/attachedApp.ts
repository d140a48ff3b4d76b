// A running app that recipes attach to.

/** The input with the debugging port of the app. */
export const portInputName = 'cdp_port';

/** Returns the base URL of paths: the configured one, or else the origin of the page that the app shows. */
export function findBaseUrl(url: string, configured: string | undefined): { baseURL?: string } {
  const baseURL = configured ?? (/^https?:/.test(url) ? new URL(url).origin : undefined);
  return baseURL === undefined ? {} : { baseURL };
}
