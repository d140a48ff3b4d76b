// Where a flow may go: the host of its entry and each host it names, with their subdomains.

/** A hostname and nothing else: no scheme, port, path or wildcard. */
export function isBareHost(entry: string): boolean {
  if (!/^[\p{L}\p{N}_.-]+$/u.test(entry) || !URL.canParse(`http://${entry}/`)) return false;
  const { hostname } = new URL(`http://${entry}/`);
  return /^(?!-)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(hostname);
}

/** The hosts a flow admits, in the spelling of URLs. */
export function listAdmittedHosts(url: string, allowed: readonly string[] = []): string[] {
  return [url, ...allowed.map((host) => `http://${host}/`)].flatMap((each) => parseHost(each) ?? []);
}

/** Undefined for what is no address of the web. */
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
  // An address of digits has no subdomains.
  return hosts.some((known) => name === known || (name.endsWith(`.${known}`) && !isIpAddress(known)));
}

/** Why not, and what to do. */
export function explainNotAdmitted(url: string, hosts: readonly string[]): string {
  const host = parseHost(url);
  if (host === undefined) return `${JSON.stringify(url)} is no address of the web: only http and https are.`;
  const refusal = `${host} is not among the hosts this flow may go to (${hosts.join(', ')}, and their subdomains).`;
  const above = hosts.find((known) => known.endsWith(`.${host}`));
  const why = above === undefined ? '' : ` ${above} admits what lies below it, not ${host} above it.`;
  return `${refusal}${why} Add "${host}" to "allowed_hosts" if the flow is meant to go there.`;
}

/** A dot at the end names the same host. */
function normalizeHost(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function isIpAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host);
}
