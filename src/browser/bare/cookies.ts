// Cookies of the whole browser, and those of them that an address gets.
import type { Cookie } from '@playwright/test';
import type { BareSession } from './session.js';

export type NewCookie = { name: string; value: string; url: string };
type Named = Pick<Cookie, 'name' | 'domain' | 'path'>;
type Raw = Omit<Cookie, 'sameSite' | 'partitionKey'> & { sameSite?: Cookie['sameSite']; partitionKey?: object };

export async function readCookies(root: BareSession, url: string): Promise<Cookie[]> {
  const address = new URL(url);
  return (await all(root)).filter((cookie) => isFor(cookie, address)).map(asPlaywright);
}

export async function writeCookie(root: BareSession, { name, value, url }: NewCookie): Promise<void> {
  const { hostname, pathname, protocol } = new URL(url);
  const path = pathname.slice(0, pathname.lastIndexOf('/') + 1);
  const cookie = { name, value, url, domain: hostname, path, secure: protocol === 'https:' };
  await root.send('Storage.setCookies', { cookies: [cookie] });
}

/** One that expires at once is gone. */
export async function dropCookies(root: BareSession, { name, domain, path }: Named): Promise<void> {
  const fits = (each: Raw): boolean => each.name === name && each.domain === domain && each.path === path;
  const cookies = (await all(root)).filter(fits).map(toldAgain);
  if (cookies.length > 0) await root.send('Storage.setCookies', { cookies });
}

async function all(root: BareSession): Promise<Raw[]> {
  return (await root.send<{ cookies: Raw[] }>('Storage.getCookies')).cookies;
}

function asPlaywright({ name, value, domain, path, expires, httpOnly, secure, sameSite = 'Lax' }: Raw): Cookie {
  return { name, value, domain, path, expires, httpOnly, secure, sameSite };
}

function toldAgain({ name, value, domain, path, httpOnly, secure, sameSite, partitionKey }: Raw): object {
  const told = { name, value, domain, path, httpOnly, secure, expires: 0 };
  return { ...told, ...(sameSite ? { sameSite } : {}), ...(partitionKey ? { partitionKey } : {}) };
}

function isFor({ domain, path, secure }: Raw, { hostname, pathname, protocol }: URL): boolean {
  const isHost = hostname === domain || (domain.startsWith('.') && `.${hostname}`.endsWith(domain));
  const isBelow = pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'));
  return isHost && isBelow && (!secure || protocol === 'https:' || isLocal(hostname));
}

/** The browser trusts its own machine as it trusts https. */
function isLocal(hostname: string): boolean {
  return /^(.*\.)?localhost$|^\[::1\]$|^127(\.\d+){3}$/.test(hostname);
}
