// Sends one HTTP request without following redirects.

// Taken before a project's tests can replace the global function by a fake. Node loads the implementation on the first call.
const { fetch } = globalThis;

export type HttpRequest = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  signal: AbortSignal;
};

/** Sends and stores no cookies. The connection is closed after the response, so that it does not delay the end of the server. */
export async function sendRequest({ method, url, headers, body, signal }: HttpRequest): Promise<Response> {
  const allHeaders = { connection: 'close', ...headers };
  return fetch(url, { method, headers: allHeaders, redirect: 'manual', signal, ...(body === undefined ? {} : { body }) });
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server accepts connections on this port',
  ENOTFOUND: 'the host name has no IP address',
  EAI_AGAIN: 'the lookup of the host name failed',
  ECONNRESET: 'the server closed the connection before its response was complete',
  UND_ERR_SOCKET: 'the server closed the connection before its response was complete',
  UND_ERR_CONNECT_TIMEOUT: 'the server did not accept the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'the server accepted the connection, but sent no response',
  UND_ERR_BODY_TIMEOUT: 'the server stopped sending in the middle of its response',
};

/** Returns the reason why a request failed, with the system error code if there is one. */
export function explainRequestError(thrown: unknown): { code: string | undefined; reason: string } {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const { code } = cause as NodeJS.ErrnoException;
  const message = cause instanceof Error ? cause.message : String(cause);
  const reason = reasons[code ?? ''] ?? message;
  return { code, reason: code === undefined ? reason : `${reason} (${code})` };
}
