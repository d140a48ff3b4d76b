import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { type CapturedOutput, truncateOutput } from '../../system/processes/runProcess.js';
import { type ActionContext, type ActionResult, defineAction, type Effect } from '../action.js';
import { createLogCapture, fileNameOf, maxRecordedBytes } from '../capturedText.js';
import type { HostPolicy } from './admittedHosts.js';
import { explainFailure, followRedirects, hasCredentials, isHttp } from './followRedirects.js';
import { readBody } from './readBody.js';

/** Servers and traces log URLs, so "url" may contain neither secrets nor credentials. */
const url = z
  .string()
  .min(1)
  .refine((text) => !URL.canParse(text) || !hasCredentials(new URL(text)), {
    error: 'must not contain a user name or password, because URLs are logged. Send the header "authorization" instead',
  });

const schema = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).default('GET'),
  url: url.describe('An absolute URL, or a path relative to the base URL of the run.'),
  headers: z.record(z.string(), z.string()).optional(),
  json: z.unknown().optional().describe('The body as JSON. Sets content-type.'),
  // Not named "body", because the protocol uses this name for the nodes inside a node.
  text: z.string().optional().describe('The body as text, instead of json.'),
  follow_redirects: z.boolean().default(true),
  effect: z
    .enum(['user', 'reads'])
    .optional()
    .describe('reads: the request changes nothing, so a claim about the UI may depend on it.'),
});

type Fields = z.output<typeof schema>;

export const httpRequest = defineAction({
  name: 'http.request',
  description:
    'Sends an HTTP request and returns the response. A status of 400 or more does not fail the node. The node fails when no response arrives.',
  schema,
  examples: [
    {
      description: 'The order is paid.',
      node: { action: 'http.request', url: '/api/orders/17', assert: { path: '$.json.state', operator: 'eq', value: 'paid' } },
    },
    {
      description: 'Creates an order with an access token.',
      node: {
        action: 'http.request',
        method: 'POST',
        url: '/api/orders',
        headers: { authorization: 'Bearer {{inputs.token}}' },
        json: { sku: 'mug', count: 2 },
      },
    },
  ],
  effect: effectOfRequest,
  bypassesPage: true,
  // The fixture has Playwright's base URL, which a project can set in several ways.
  optionalNeeds: ['baseURL'],
  fallible: () => true,
  secretFields: ['headers', 'json', 'text'],
  textFields: ['headers', 'text'],
  describeMissing: ({ fields }) => bodyProblem(fields),
  run: request,
});

const readingMethods = ['GET', 'HEAD', 'OPTIONS'];

/** A method that is unknown before the run counts as one that changes something. */
function effectOfRequest({ fields: { effect, method = 'GET' }, bindings }: RecipeNode): Effect {
  if (effect === 'reads' || effect === 'user') return effect;
  const isKnown = !bindings.has('method') && !bindings.has('effect') && effect === undefined;
  return isKnown && readingMethods.includes(String(method)) ? 'reads' : 'user';
}

function bodyProblem({ method = 'GET', json, text }: Readonly<Record<string, unknown>>): string | undefined {
  if (json !== undefined && text !== undefined) return 'only one of "json" and "text"';
  if ((json === undefined && text === undefined) || (method !== 'GET' && method !== 'HEAD')) return undefined;
  return `a method with a body, such as POST, because ${String(method)} sends no body`;
}

async function request(fields: Fields, context: ActionContext): Promise<ActionResult> {
  const problem = bodyProblem(fields);
  if (problem !== undefined) throw new RecipeError('http.invalid_request', 'action', `http.request needs ${problem}.`);
  const { method, follow_redirects } = fields;
  const { clock, signal, isSecret } = context;
  const startedAtMs = clock.now();
  const { headers, body } = encodeBody(fields);
  const policy = hostPolicyOf(context);
  const requestUrl = resolveUrl(fields.url, policy);
  const plan = { method, url: requestUrl, headers, body, followRedirects: follow_redirects, policy, signal, isSecret };
  const { url: finalUrl, response } = await followRedirects(plan);
  const { text, json } = await readBody(response, context.openMasker).catch((thrown) => {
    throw explainFailure({ ...plan, url: finalUrl }, thrown, `sent the status ${response.status}, but not its whole response`);
  });
  const { status, ok } = response;
  const durationMs = Math.round(clock.now() - startedAtMs);
  const allHeaders = headersOf(response.headers);
  const createOutput = (captured: CapturedOutput, isWhole: boolean, outputHeaders = allHeaders): object => ({
    status,
    ok,
    url: finalUrl.href,
    headers: outputHeaders,
    ...(json && isWhole ? { json: json.value } : {}),
    body: captured.bytes.toString(),
    ...(captured.wasTruncated ? { wasTruncated: true } : {}),
    durationMs,
  });
  const shortText = truncateOutput(text, maxRecordedBytes);
  const isLong = shortText !== text;
  const recordedHeaders = withoutCookies(allHeaders);
  const name = `${fileNameOf(context.path)}.body.log`;
  return {
    output: createOutput(text, true),
    ...(isLong || recordedHeaders !== allHeaders ? { recorded: createOutput(shortText, !isLong, recordedHeaders) } : {}),
    artifacts: isLong ? [createLogCapture(name, `Response to ${context.path}`, text.bytes)] : [],
  };
}

function encodeBody({ headers = {}, json, text }: Fields): { headers: Record<string, string>; body: string | undefined } {
  if (json === undefined) return { headers, body: text };
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return { headers: hasType ? headers : { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(json) };
}

function hostPolicyOf({ baseURL, allowHosts = [], services }: ActionContext): HostPolicy {
  return { baseURL: baseURL && withoutUserInfo(baseURL), allowHosts, servicePorts: services.ports };
}

/** Removes the user name and the password, because messages and outputs contain the base URL. They are not sent either. */
function withoutUserInfo(baseURL: string): string {
  if (!URL.canParse(baseURL) || !hasCredentials(new URL(baseURL))) return baseURL;
  const url = new URL(baseURL);
  url.username = '';
  url.password = '';
  return url.href;
}

function resolveUrl(text: string, { baseURL }: HostPolicy): URL {
  const quoted = JSON.stringify(text);
  if (URL.canParse(text)) {
    const absolute = new URL(text);
    if (isHttp(absolute)) return absolute;
    throw invalidUrl(`${quoted} is not an HTTP URL. Use a URL with http:// or https://, or a path relative to the base URL.`);
  }
  if (baseURL === undefined)
    throw invalidUrl(
      `${quoted} is a path, but the run has no base URL. Set "baseURL" (in "use" in Playwright, in "browser" in recipewright.config, or by --base-url), or use an absolute URL.`,
    );
  if (!URL.canParse(text, baseURL)) throw invalidUrl(`${quoted} is not a valid path relative to the base URL ${baseURL}.`);
  const resolved = new URL(text, baseURL);
  if (!isHttp(resolved)) throw invalidUrl(`${quoted} relative to the base URL ${baseURL} is not an HTTP URL.`);
  return resolved;
}

function invalidUrl(message: string): RecipeError {
  return new RecipeError('http.invalid_url', 'action', message);
}

/** A cookie may grant access to a session. Assertions can read it, but the package must not contain it. */
function withoutCookies(headers: Record<string, string>): Record<string, string> {
  return headers['set-cookie'] === undefined ? headers : { ...headers, 'set-cookie': '[left out]' };
}

/** Joins repeated headers into one string, as the Fetch standard does. */
function headersOf(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers.keys()].map((name) => [name, headers.get(name) ?? '']));
}
