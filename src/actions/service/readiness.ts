// Waits until a service is ready: its port accepts connections, a URL responds, or its output contains a text.
import { findListener } from '../../system/ports.js';
import { sendRequest } from '../../system/sendRequest.js';
import type { ActionContext } from '../action.js';
import { describeEnd, type Service } from './service.js';

export type Readiness = { port: true } | { url: string } | { log: string };

const pollMs = 50;

/** Resolves to undefined when the service is ready, otherwise to the reason why it is not. */
export async function waitUntilReady(
  service: Service,
  readiness: Readiness | undefined,
  { signal, clock }: Pick<ActionContext, 'signal' | 'clock'>,
): Promise<string | undefined> {
  for (;;) {
    if (service.result) return describeEnd(service.result);
    if (signal.aborted) return `${describeUnmetCondition(service, readiness)} in time`;
    const isReady = service.pid !== undefined && (await meetsCondition(service, readiness, signal));
    // The service may have ended, and another process of this machine may have responded.
    if (isReady && !service.result && !signal.aborted) return undefined;
    if (!service.result && !signal.aborted) await service.waitForChange(pollMs, (ms, then) => clock.after(ms, then));
  }
}

async function meetsCondition(service: Service, readiness: Readiness | undefined, signal: AbortSignal): Promise<boolean> {
  if (readiness && 'log' in readiness) {
    if (!service.output.bytes.includes(readiness.log)) return false;
    // The text is enough. This call only looks for the URL.
    await findServiceUrl(service);
    return true;
  }
  if (!readiness) return true;
  if (!(await findServiceUrl(service))) return false;
  return 'port' in readiness || (await respondsWithoutError(new URL(readiness.url, service.url).href, signal));
}

/** Sets the URL of the service. Returns false when its port accepts no connections. */
async function findServiceUrl(service: Service): Promise<boolean> {
  if (service.port === undefined) return false;
  const host = await findListener(service.port);
  if (host === undefined) return false;
  service.url = `http://${host}:${service.port}`;
  return true;
}

async function respondsWithoutError(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await sendRequest({ method: 'GET', url, headers: {}, signal });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    // A network error, or the abort of the node: the service is not ready.
    return false;
  }
}

function describeUnmetCondition({ port, url }: Service, readiness: Readiness | undefined): string {
  if (!readiness) return 'it did not start';
  if ('log' in readiness) return `its output did not contain ${JSON.stringify(readiness.log)}`;
  if ('port' in readiness || url === undefined) return `nothing accepted connections on port ${port}`;
  return `${new URL(readiness.url, url).href} did not respond with a status below 500`;
}
