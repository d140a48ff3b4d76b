// Sends one HTTP request, and follows no redirect.

// A project's tests may replace the global one by a fake while a recipe runs. Node loads its implementation at the first call.
const { fetch } = globalThis;

export type HttpRequest = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  signal: AbortSignal;
};

/** No cookies are sent or kept. The connection is closed after the response, so that a server can end at once. */
export async function sendRequest({ method, url, headers, body, signal }: HttpRequest): Promise<Response> {
  const allHeaders = { connection: 'close', ...headers };
  return fetch(url, { method, headers: allHeaders, redirect: 'manual', signal, ...(body === undefined ? {} : { body }) });
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing accepts connections there',
  ENOTFOUND: 'the host name has no address',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the server closed the connection before its response was complete',
  UND_ERR_SOCKET: 'the server closed the connection before its response was complete',
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not accepted in time',
  UND_ERR_HEADERS_TIMEOUT: 'the server accepted the connection and sent no response',
  UND_ERR_BODY_TIMEOUT: 'the server stopped in the middle of its response',
};

/** Why a request failed, in words, with the code of the system if there is one. */
export function explainRequestError(thrown: unknown): { code: string | undefined; reason: string } {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const { code } = cause as NodeJS.ErrnoException;
  const message = cause instanceof Error ? cause.message : String(cause);
  const reason = reasons[code ?? ''] ?? message;
  return { code, reason: code === undefined ? reason : `${reason} (${code})` };
}
