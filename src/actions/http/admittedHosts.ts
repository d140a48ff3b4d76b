// Decides which hosts a run may send requests to: the host of its base URL, its own services, and the hosts that the project admits.

export type HostPolicy = {
  /** The base URL of the run. Without a base URL, this machine is admitted. */
  baseURL: string | undefined;
  /** `http.allowHosts` of the config. `true` admits every host. */
  allowHosts: true | readonly string[];
  /** The ports of the running services. */
  servicePorts: ReadonlySet<number>;
};

/** `name` has the spelling of the URL standard. A pattern without `port` matches every port. */
type HostPattern = { name: string; port: string | undefined; hasSubdomains: boolean };

export function isHostPattern(text: string): boolean {
  return parseHostPattern(text) !== undefined;
}

function parseHostPattern(text: string): HostPattern | undefined {
  const hasSubdomains = text.startsWith('*.');
  const [, host = '', port] =
    /^(\[[\da-f:.]+\]|[^\s:/?#@*[\]\\]+)(?::(\d{1,5}))?$/i.exec(hasSubdomains ? text.slice(2) : text) ?? [];
  if (host === '' || !URL.canParse(`http://${host}`)) return undefined;
  return { name: new URL(`http://${host}`).hostname, port, hasSubdomains };
}

export function isAdmitted(url: URL, { baseURL, allowHosts, servicePorts }: HostPolicy): boolean {
  if (allowHosts === true || isSameHost(url, baseURL)) return true;
  if (isThisMachine(url) && (baseURL === undefined || servicePorts.has(Number(portOf(url))))) return true;
  return allowHosts.some((text) => matchesPattern(url, parseHostPattern(text)));
}

/** Returns the entry of `http.allowHosts` that admits a URL. */
export function toHostEntry(url: URL): string {
  return url.host;
}

function isSameHost(url: URL, baseURL: string | undefined): boolean {
  if (baseURL === undefined || !URL.canParse(baseURL)) return false;
  const base = new URL(baseURL);
  if (portOf(url) !== portOf(base)) return false;
  return url.hostname === base.hostname || (isThisMachine(url) && isThisMachine(base));
}

function matchesPattern(url: URL, pattern: HostPattern | undefined): boolean {
  if (!pattern || (pattern.port !== undefined && Number(pattern.port) !== Number(portOf(url)))) return false;
  return pattern.hasSubdomains ? url.hostname.endsWith(`.${pattern.name}`) : url.hostname === pattern.name;
}

function isThisMachine({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
