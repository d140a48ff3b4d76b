// A site with a sign-up form that sends a beacon to GA4 after the sign-up, as the example of the flow-spec format expects.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type SignupSite = {
  origin: string;
  host: string;
  /** The example of the flow-spec format, for this site. */
  signup: Record<string, unknown> & { steps: Record<string, unknown>[] };
  close(): void;
};

const form = `<form action="/submit" method="post"><label>Email <input name="email"></label>
  <label>Password <input name="password" type="password"></label><button type="submit">Create my account</button></form>`;

export async function serveSignup(): Promise<SignupSite> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    request.resume();
    if (pathname === '/submit') response.writeHead(303, { location: '/dashboard' }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(pages[pathname] ?? '<h1>Not here</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `http://${host}`;
  return { origin, host, signup: signupOn(origin), close: () => void server.close() };
}

const pages: Record<string, string> = {
  '/': '<h1>Welcome</h1><a href="/signup">Sign up</a>',
  '/signup': form,
  '/dashboard': `<h1 data-testid="dashboard">Hello</h1><script>
    navigator.sendBeacon('https://www.google-analytics.com/g/collect?v=2&tid=G-TEST123', 'en=page_view\\r\\nen=sign_up')</script>`,
};

function signupOn(url: string): SignupSite['signup'] {
  const act = (action: string, target: string, selector: string, rest: object = {}) => {
    return { type: 'act', action, target, selector, ...rest };
  };
  return {
    ...{ spec_version: '1', name: 'signup', description: 'Sign up a new user end-to-end on the marketing site.', url },
    allowed_hosts: ['checkout.stripe.com'],
    steps: [
      { type: 'goto', url },
      act('click', 'the sign-up button', 'text=Sign up'),
      act('fill', 'the email field', 'input[name=email]', { value: '{{EMAIL}}' }),
      act('fill', 'the password field', 'input[name=password]', { value: '{{PASSWORD}}' }),
      act('click', 'the submit button', 'button[type=submit]'),
      { type: 'wait', for: '[data-testid=dashboard]' },
      { type: 'expect', kind: 'url_contains', value: '/dashboard' },
      { type: 'expect', kind: 'beacon', vendor: 'ga4', event: 'sign_up' },
    ],
    assertions: [
      { kind: 'no_console_errors', severity: 'warning' },
      { kind: 'beacon_fires', vendor: 'ga4', event: 'sign_up', severity: 'critical' },
    ],
  };
}
