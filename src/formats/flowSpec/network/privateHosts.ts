// Decides which machines a flow may connect to: public ones, and the private ones that the project allows.
import { lookup as lookUp } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Hostnames, with or without a port, that may have private addresses. `true` allows all hosts. */
export type PrivateHosts = readonly string[] | boolean;

/** Returns the IP addresses of a hostname. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export type HostRules = { allowPrivateHosts: PrivateHosts; lookup?: Lookup | undefined };

const privateV4 = createBlockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
// Includes ranges that embed an IPv4 address (mapped, NAT64, 6to4, Teredo), because they could lead to a private IPv4 address.
const privateV6 = createBlockList('ipv6', [
  '::/96',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);

// One list per family: a list with the range ::ffff:0:0/96 would match every IPv4 address.
function createBlockList(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits] = range.split('/');
    list.addSubnet(net, Number(bits), family);
  }
  return list;
}

export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return privateV4.check(address, 'ipv4');
  return family === 0 || privateV6.check(address, 'ipv6');
}

/** Returns why a URL is not public, as far as that is known without DNS. */
export function explainNotPublic(url: string, { allowPrivateHosts }: HostRules): string | undefined {
  if (!URL.canParse(url)) return `${JSON.stringify(url)} is not a URL`;
  const { protocol, hostname, port } = new URL(url);
  if (!/^(https?|wss?):$/.test(protocol)) return `the scheme ${protocol} is not allowed, only http and https`;
  if (isAllowedPrivateHost(hostname, port || getPort(protocol), allowPrivateHosts)) return undefined;
  const host = toBareHost(hostname);
  if (isIP(host) !== 0) return isPrivateAddress(host) ? describePrivateHost(host, host) : undefined;
  const isLocal = !host.includes('.') || /\.(localhost|local|internal|intranet|lan|home\.arpa)$/.test(host);
  return isLocal ? describePrivateHost(host, 'this machine or its local network') : undefined;
}

type Admission = { address: string } | { refused: string };

/** Returns the checked address. Connect to this address and not to the hostname, which could later resolve to another address. */
export async function admitHost(url: URL, rules: HostRules): Promise<Admission> {
  const refused = explainNotPublic(url.href, rules);
  if (refused !== undefined) return { refused };
  const host = toBareHost(url.hostname);
  const { lookup = lookUpAddresses } = rules;
  const addresses = isIP(host) === 0 ? await lookup(host).catch(() => []) : [host];
  const [first] = addresses;
  if (first === undefined) return { refused: `${host} has no address` };
  if (isAllowedPrivateHost(url.hostname, url.port || getPort(url.protocol), rules.allowPrivateHosts)) return { address: first };
  const privateAddress = addresses.find(isPrivateAddress);
  return privateAddress === undefined ? { address: first } : { refused: describePrivateHost(host, privateAddress) };
}

async function lookUpAddresses(host: string): Promise<string[]> {
  return (await lookUp(host, { all: true, verbatim: true })).map(({ address }) => address);
}

function isAllowedPrivateHost(hostname: string, port: string, allowed: PrivateHosts): boolean {
  if (typeof allowed === 'boolean') return allowed;
  const host = toBareHost(hostname);
  return allowed.some((name) => [host, `${host}:${port}`, hostname, `${hostname}:${port}`].includes(name.toLowerCase()));
}

function describePrivateHost(host: string, destination: string): string {
  const problem = host === destination ? `${host} is a private address` : `${host} leads to ${destination}, which is not public`;
  return `${problem}. The project can allow it with "allowPrivateHosts"; a document cannot`;
}

function getPort(protocol: string): string {
  return protocol === 'https:' || protocol === 'wss:' ? '443' : '80';
}

/** Removes the brackets of IPv6 and a trailing dot. */
function toBareHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
