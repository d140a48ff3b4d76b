// A running app that recipes attach to.

/** The input that names its debugging port. */
export const portInputName = 'cdp_port';

/** The base URL of paths: the configured one, or else the origin of the page that the app shows. */
export function findBaseUrl(url: string, configured: string | undefined): { baseURL?: string } {
  const baseURL = configured ?? (/^https?:/.test(url) ? new URL(url).origin : undefined);
  return baseURL === undefined ? {} : { baseURL };
}
