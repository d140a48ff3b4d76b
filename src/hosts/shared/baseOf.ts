// What paths are relative to in an app that runs already, which has no base URL of its own.

/** Paths lead to where the app is, unless somebody says otherwise. */
export function baseOf(url: string, given: string | undefined): { baseURL?: string } {
  const baseURL = given ?? (/^https?:/.test(url) ? new URL(url).origin : undefined);
  return baseURL === undefined ? {} : { baseURL };
}
