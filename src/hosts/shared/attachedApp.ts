/** The input that names the debugging port of an app which runs already. */
export const portInputName = 'cdp_port';

// What paths are relative to in an app that runs already, which has no base URL of its own.

/** Paths lead to where the app is, unless somebody says otherwise. */
export function findBaseUrl(url: string, configured: string | undefined): { baseURL?: string } {
  const baseURL = configured ?? (/^https?:/.test(url) ? new URL(url).origin : undefined);
  return baseURL === undefined ? {} : { baseURL };
}
