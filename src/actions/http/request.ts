import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { type CapturedOutput, truncateOutput } from '../../system/processes/runProcess.js';
import { type ActionContext, type ActionResult, defineAction, type Effect } from '../action.js';
import { createLogCapture, fileNameOf, maxRecordedBytes } from '../capturedText.js';
import type { HostPolicy } from './admittedHosts.js';
import { explainFailure, followRedirects, hasCredentials, isHttp } from './followRedirects.js';
import { readBody } from './readBody.js';

/** A secret in an address stays in the logs of servers and in traces, so "url" takes none and no credentials either. */
const url = z
  .string()
  .min(1)
  .refine((text) => !URL.canParse(text) || !hasCredentials(new URL(text)), {
    error: 'must not hold a user name or password, which would be logged. Send the header "authorization"',
  });

const schema = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).default('GET'),
  url: url.describe('Absolute, or a path below the base URL of the run.'),
  headers: z.record(z.string(), z.string()).optional(),
  json: z.unknown().optional().describe('A body in JSON; sets content-type.'),
  // "body" is the name of the protocol for the nodes inside a node.
  text: z.string().optional().describe('A body as it is, in place of json.'),
  follow_redirects: z.boolean().default(true),
  effect: z.enum(['user', 'reads']).optional().describe('reads: it changes nothing, so it may serve a claim about the UI.'),
});

type Fields = z.output<typeof schema>;

export const httpRequest = defineAction({
  name: 'http.request',
  description:
    'Sends an HTTP request and gives the response. A status of 400 or more does not fail the node; a server that does not answer does.',
  schema,
  examples: [
    {
      description: 'The order is stored.',
      node: { action: 'http.request', url: '/api/orders/17', assert: { path: '$.json.state', operator: 'eq', value: 'paid' } },
    },
    {
      description: 'An order of a known customer.',
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
  // Playwright's own base URL, which a project may set in several ways.
  optionalNeeds: ['baseURL'],
  fallible: () => true,
  secretFields: ['headers', 'json', 'text'],
  textFields: ['headers', 'text'],
  describeMissing: ({ fields }) => bodyProblem(fields),
  run: request,
});

const readingMethods = ['GET', 'HEAD', 'OPTIONS'];

/** A method that only the run knows may be one that changes something. */
function effectOfRequest({ fields: { effect, method = 'GET' }, bindings }: RecipeNode): Effect {
  if (effect === 'reads' || effect === 'user') return effect;
  const isKnown = !bindings.has('method') && !bindings.has('effect') && effect === undefined;
  return isKnown && readingMethods.includes(String(method)) ? 'reads' : 'user';
}

function bodyProblem({ method = 'GET', json, text }: Readonly<Record<string, unknown>>): string | undefined {
  if (json !== undefined && text !== undefined) return 'one of "json" and "text", not both';
  if ((json === undefined && text === undefined) || (method !== 'GET' && method !== 'HEAD')) return undefined;
  return `a method that sends a body, such as POST: ${String(method)} sends none`;
}

async function request(fields: Fields, context: ActionContext): Promise<ActionResult> {
  const problem = bodyProblem(fields);
  if (problem !== undefined) throw new RecipeError('http.invalid_request', 'action', `http.request needs ${problem}.`);
  const { method, follow_redirects } = fields;
  const { clock, signal, isSecret } = context;
  const began = clock.now();
  const { headers, body } = encodeBody(fields);
  const policy = hostPolicyOf(context);
  const address = resolveUrl(fields.url, policy);
  const plan = { method, url: address, headers, body, followRedirects: follow_redirects, policy, signal, isSecret };
  const { url: finalUrl, response } = await followRedirects(plan);
  const { text, json } = await readBody(response, context.redact).catch((thrown) => {
    throw explainFailure({ ...plan, url: finalUrl }, thrown, `answered ${response.status}, but did not end its response`);
  });
  const { status, ok } = response;
  const durationMs = Math.round(clock.now() - began);
  const headersReceived = headersOf(response.headers);
  const outputOf = (kept: CapturedOutput, isWhole: boolean, shownHeaders = headersReceived): object => ({
    status,
    ok,
    url: finalUrl.href,
    headers: shownHeaders,
    ...(json && isWhole ? { json: json.value } : {}),
    body: kept.bytes.toString(),
    ...(kept.wasTruncated ? { wasTruncated: true } : {}),
    durationMs,
  });
  const shortText = truncateOutput(text, maxRecordedBytes);
  const isLong = shortText !== text;
  const shownHeaders = withoutCredentials(headersReceived);
  const name = `${fileNameOf(context.path)}.body.log`;
  return {
    output: outputOf(text, true),
    ...(isLong || shownHeaders !== headersReceived ? { recorded: outputOf(shortText, !isLong, shownHeaders) } : {}),
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

/** Messages and outputs name the base URL, so its user name and password are neither shown nor sent. */
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
    throw invalidUrl(`${quoted} is not an HTTP address. Begin it with http:// or https://, or write a path below the base URL.`);
  }
  if (baseURL === undefined)
    throw invalidUrl(
      `${quoted} is a path, and the run has no base URL. Set "baseURL" of the host ("use" in Playwright, "browser" in recipewright.config, or --base-url), or write the whole address.`,
    );
  if (!URL.canParse(text, baseURL)) throw invalidUrl(`${quoted} is no path below the base URL ${baseURL}.`);
  const resolved = new URL(text, baseURL);
  if (!isHttp(resolved)) throw invalidUrl(`${quoted} below the base URL ${baseURL} is not an HTTP address.`);
  return resolved;
}

function invalidUrl(message: string): RecipeError {
  return new RecipeError('http.invalid_url', 'action', message);
}

/** A cookie of the server opens a session: assertions may read it, and the package does not keep it. */
function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  return headers['set-cookie'] === undefined ? headers : { ...headers, 'set-cookie': '[left out]' };
}

/** A header that comes several times is one text, as in the standard. */
function headersOf(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers.keys()].map((name) => [name, headers.get(name) ?? '']));
}
