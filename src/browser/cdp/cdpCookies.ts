// Reads, writes and deletes the cookies of a browser over CDP.
import type { Cookie } from '@playwright/test';
import type { CdpSession } from './cdpConnection.js';

export type NewCookie = { name: string; value: string; url: string };
type CookieKey = Pick<Cookie, 'name' | 'domain' | 'path'>;
type RawCookie = Omit<Cookie, 'sameSite' | 'partitionKey'> & { sameSite?: Cookie['sameSite']; partitionKey?: object };

export async function readCookies(root: CdpSession, url: string): Promise<Cookie[]> {
  const target = new URL(url);
  return (await getAllCookies(root)).filter((cookie) => appliesTo(cookie, target)).map(toPlaywrightCookie);
}

export async function writeCookie(root: CdpSession, { name, value, url }: NewCookie): Promise<void> {
  const { hostname, pathname, protocol } = new URL(url);
  const path = pathname.slice(0, pathname.lastIndexOf('/') + 1);
  const cookie = { name, value, url, domain: hostname, path, secure: protocol === 'https:' };
  await root.send('Storage.setCookies', { cookies: [cookie] });
}

/** Sets an expiry date in the past, which deletes the cookie. */
export async function deleteCookies(root: CdpSession, { name, domain, path }: CookieKey): Promise<void> {
  const matchesKey = (cookie: RawCookie): boolean => cookie.name === name && cookie.domain === domain && cookie.path === path;
  const cookies = (await getAllCookies(root)).filter(matchesKey).map(toExpiredCookie);
  if (cookies.length > 0) await root.send('Storage.setCookies', { cookies });
}

async function getAllCookies(root: CdpSession): Promise<RawCookie[]> {
  return (await root.send<{ cookies: RawCookie[] }>('Storage.getCookies')).cookies;
}

function toPlaywrightCookie({ name, value, domain, path, expires, httpOnly, secure, sameSite = 'Lax' }: RawCookie): Cookie {
  return { name, value, domain, path, expires, httpOnly, secure, sameSite };
}

function toExpiredCookie({ name, value, domain, path, httpOnly, secure, sameSite, partitionKey }: RawCookie): object {
  const cookie = { name, value, domain, path, httpOnly, secure, expires: 0 };
  return { ...cookie, ...(sameSite ? { sameSite } : {}), ...(partitionKey ? { partitionKey } : {}) };
}

function appliesTo({ domain, path, secure }: RawCookie, { hostname, pathname, protocol }: URL): boolean {
  const isHost = hostname === domain || (domain.startsWith('.') && `.${hostname}`.endsWith(domain));
  const isBelow = pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'));
  return isHost && isBelow && (!secure || protocol === 'https:' || isLocal(hostname));
}

/** Browsers send secure cookies to local servers over HTTP, too. */
function isLocal(hostname: string): boolean {
  return /^(.*\.)?localhost$|^\[::1\]$|^127(\.\d+){3}$/.test(hostname);
}
