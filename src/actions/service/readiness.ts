// When a service counts as ready: its port accepts connections, an address answers, or a text is in its output.
import { findListener } from '../../system/ports.js';
import { sendRequest } from '../../system/sendRequest.js';
import type { ActionContext } from '../action.js';
import { describeEnd, type Service } from './service.js';

export type Readiness = { port: true } | { url: string } | { log: string };

const pollMs = 50;

/** Resolves to the reason why it is not ready; undefined when it is. */
export async function waitUntilReady(
  service: Service,
  readiness: Readiness | undefined,
  { signal, clock }: Pick<ActionContext, 'signal' | 'clock'>,
): Promise<string | undefined> {
  for (;;) {
    if (service.result) return describeEnd(service.result);
    if (signal.aborted) return `${describeMissing(service, readiness)} in time`;
    const isReady = service.pid !== undefined && (await holds(service, readiness, signal));
    // It may have ended while another process of this machine answered.
    if (isReady && !service.result && !signal.aborted) return undefined;
    if (!service.result && !signal.aborted) await service.nextChange(pollMs, (ms, then) => clock.after(ms, then));
  }
}

async function holds(service: Service, readiness: Readiness | undefined, signal: AbortSignal): Promise<boolean> {
  if (readiness && 'log' in readiness) {
    if (!service.output.bytes.includes(readiness.log)) return false;
    // Only for its address: the text is what counts.
    await findAddress(service);
    return true;
  }
  if (!readiness) return true;
  if (!(await findAddress(service))) return false;
  return 'port' in readiness || (await answers(new URL(readiness.url, service.url).href, signal));
}

/** Keeps the address at which the port of the service accepts connections. */
async function findAddress(service: Service): Promise<boolean> {
  if (service.port === undefined) return false;
  const host = await findListener(service.port);
  if (host === undefined) return false;
  service.url = `http://${host}:${service.port}`;
  return true;
}

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await sendRequest({ method: 'GET', url, headers: {}, signal });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    // Any error of the network, or the end of the node: it is not ready.
    return false;
  }
}

function describeMissing({ port, url }: Service, readiness: Readiness | undefined): string {
  if (!readiness) return 'it did not start';
  if ('log' in readiness) return `its output did not contain ${JSON.stringify(readiness.log)}`;
  if ('port' in readiness || url === undefined) return `nothing accepted connections on port ${port}`;
  return `${new URL(readiness.url, url).href} did not answer with a status below 500`;
}
