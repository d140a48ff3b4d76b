// Sends a request and follows its redirects, but only to admitted hosts.
import { RecipeError } from '../../evidence/recipeError.js';
import { explainRequestError, sendRequest } from '../../system/sendRequest.js';
import { type HostPolicy, isAdmitted, toHostEntry } from './admittedHosts.js';

export type RequestPlan = {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  followRedirects: boolean;
  policy: HostPolicy;
  signal: AbortSignal;
  isSecret(value: unknown): boolean;
};

const maxRedirects = 20;

/** Returns the last response and its URL. */
export async function followRedirects(plan: RequestPlan): Promise<{ url: URL; response: Response }> {
  let request = plan;
  refuseForeignHost(request, describeRequest(request));
  for (let count = 0; ; count++) {
    const response = await send(request);
    const location = request.followRedirects && isRedirect(response.status) ? response.headers.get('location') : null;
    if (location === null) return { url: request.url, response };
    await discardBody(response);
    if (count === maxRedirects) {
      const message = `${describeRequest(plan)} was redirected more than ${maxRedirects} times. The last redirect was to ${location}. Correct the redirects of the server, or set "follow_redirects" to false.`;
      throw new RecipeError('http.too_many_redirects', 'action', message);
    }
    request = createRedirectedRequest(request, response.status, location);
  }
}

async function send(request: RequestPlan): Promise<Response> {
  const { method, url, headers, body, signal } = request;
  try {
    return await sendRequest({ method, url: url.href, headers, body, signal });
  } catch (thrown) {
    throw explainFailure(request, thrown, 'sent no response');
  }
}

async function discardBody({ body }: Response): Promise<void> {
  // Rejects when the connection is already broken. The body is not needed.
  await body?.cancel().catch(() => undefined);
}

/** `state`: describes how far the server got before the node was stopped, such as "sent no response". */
export function explainFailure(request: RequestPlan, thrown: unknown, state: string): RecipeError {
  return request.signal.aborted ? createTimeoutError(request, state) : createUnreachableError(request, thrown);
}

function createTimeoutError(request: RequestPlan, state: string): RecipeError {
  const message = `${describeRequest(request)}: the server ${state} in time. Check whether the server is stuck, or set a longer "timeout_ms" for the node.`;
  return new RecipeError('http.no_answer', 'action', message);
}

function createUnreachableError(request: RequestPlan, thrown: unknown): RecipeError {
  const { code, reason } = explainRequestError(thrown);
  const { baseURL } = request.policy;
  const base = baseURL === undefined ? '' : ` The base URL of the run is ${baseURL}.`;
  const advice = code === 'ENOTFOUND' ? 'Check the host name.' : 'Check that the server is running.';
  const message = `${describeRequest(request)} failed: ${reason}. ${advice}${base}`;
  return new RecipeError('http.unreachable', 'action', message, undefined, { cause: thrown });
}

function describeRequest({ method, url }: Pick<RequestPlan, 'method' | 'url'>): string {
  return `${method} ${url.href}`;
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Creates the request that a browser would send after the redirect. Another origin gets neither credentials nor secrets. */
function createRedirectedRequest(request: RequestPlan, status: number, location: string): RequestPlan {
  const from = describeRequest(request);
  const description = `${from} redirects to ${location}`;
  if (!URL.canParse(location, request.url.href)) throw createRedirectError(`${description}, which is not a valid URL.`);
  const url = new URL(location, request.url);
  if (!isHttp(url)) throw createRedirectError(`${description}, which is not an HTTP URL.`);
  if (hasCredentials(url)) throw createRedirectError(`${from} redirects to ${url.host} with a user name or password in the URL.`);
  const becomesGet = (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST');
  const next: RequestPlan = becomesGet
    ? { ...request, url, method: 'GET', body: undefined, headers: withoutHeaders(request.headers, isBodyHeader) }
    : { ...request, url };
  refuseForeignHost(next, description);
  if (url.origin === request.url.origin) return next;
  if (next.body !== undefined && request.isSecret(next.body))
    throw createRedirectError(`${description}, but the body contains a secret, which must not be sent to another origin.`);
  const isCredential = (name: string, value: string): boolean => isCredentialHeader(name) || request.isSecret(value);
  return { ...next, headers: withoutHeaders(next.headers, isCredential) };
}

function createRedirectError(problem: string): RecipeError {
  return new RecipeError(
    'http.refused_redirect',
    'action',
    `${problem} Set "follow_redirects" to false to get the redirect itself as the response.`,
  );
}

function refuseForeignHost({ url, policy }: RequestPlan, request: string): void {
  if (isAdmitted(url, policy)) return;
  const { baseURL, allowHosts } = policy;
  const reason =
    baseURL === undefined ? 'The run has no base URL, so only this machine is admitted' : `The base URL of the run is ${baseURL}`;
  const entries = JSON.stringify([...(allowHosts === true ? [] : allowHosts), toHostEntry(url)]);
  const message = `${request}: the host ${url.host} is not admitted. ${reason}. To admit the host, set http: { allowHosts: ${entries} } in recipewright.config.`;
  throw new RecipeError('http.host_not_admitted', 'action', message);
}

export function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

export function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

function withoutHeaders(
  headers: Readonly<Record<string, string>>,
  isDropped: (name: string, value: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => !isDropped(name, value)));
}

function isBodyHeader(name: string): boolean {
  return /^content-/i.test(name);
}

function isCredentialHeader(name: string): boolean {
  return /^((proxy-)?authorization|cookie|host)$/i.test(name);
}
