// Decides which hosts a flow may navigate to: those of `url` and `allowed_hosts`, with their subdomains.

/** Whether the entry is only a hostname, without scheme, port, path or wildcard. */
export function isBareHost(entry: string): boolean {
  if (!/^[\p{L}\p{N}_.-]+$/u.test(entry) || !URL.canParse(`http://${entry}/`)) return false;
  const { hostname } = new URL(`http://${entry}/`);
  return /^(?!-)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(hostname);
}

/** Lists the hosts of a flow, normalized as in URLs. */
export function listAdmittedHosts(url: string, allowedHosts: readonly string[] = []): string[] {
  return [url, ...allowedHosts.map((host) => `http://${host}/`)].flatMap((hostUrl) => parseHost(hostUrl) ?? []);
}

/** Returns the host of an HTTP or WebSocket URL, and undefined for other URLs. */
export function parseHost(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  return ['http:', 'https:', 'ws:', 'wss:'].includes(protocol) && hostname !== '' ? normalizeHost(hostname) : undefined;
}

export function isAdmitted(url: string, hosts: readonly string[]): boolean {
  const host = parseHost(url);
  return host !== undefined && isHostAdmitted(host, hosts);
}

export function isHostAdmitted(host: string, hosts: readonly string[]): boolean {
  const name = normalizeHost(host);
  // An IP address has no subdomains.
  return hosts.some((admitted) => name === admitted || (name.endsWith(`.${admitted}`) && !isIpAddress(admitted)));
}

/** Returns a message with the reason and what to do. */
export function explainNotAdmitted(url: string, hosts: readonly string[]): string {
  const host = parseHost(url);
  if (host === undefined) return `${JSON.stringify(url)} is not an http or https URL.`;
  const refusal = `${host} is not among the hosts of this flow (${hosts.join(', ')}, and their subdomains).`;
  const subdomain = hosts.find((admitted) => admitted.endsWith(`.${host}`));
  const reason = subdomain === undefined ? '' : ` ${subdomain} admits its own subdomains, but not ${host} above it.`;
  return `${refusal}${reason} Add "${host}" to "allowed_hosts" if the flow may go there.`;
}

/** Removes a trailing dot, which does not change the host. */
function normalizeHost(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function isIpAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host);
}
