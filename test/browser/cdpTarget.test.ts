import { describe, expect, test } from 'vitest';
import { appPages, open, outputOf } from './appPages.js';

const pages = await appPages();
const { app, run } = pages;
const target = (fields: object) => ({ action: 'cdp.target', ...fields });
const see = (text: string) => ({ action: 'ui.wait_for', text, timeout_ms: 60_000 });
const press = { action: 'ui.press', role: 'link', name: 'pay' };

describe('cdp.target', () => {
  test('cdp.target waits for a popup, and the following nodes use it', async () => {
    const nodes = {
      open: open('/popup'),
      press,
      popup: target({ role: 'popup' }),
      see: see('Cart'),
      status: { action: 'app.status' },
    };
    const ran = await run(nodes);
    expect([ran.status, ran.error]).toEqual(['pass', '']);
    expect(outputOf(ran, 'popup')).toEqual({ url: `${app.origin}/cart`, title: 'Cart', index: 1, pages: 2 });
    expect(outputOf(ran, 'status')).toMatchObject({ title: 'Cart', pages: 2 });
  });

  test.for([
    ['role', { role: 'page' }],
    ['url', { url: '/po*up' }],
    ['title', { title: 'Paym' }],
  ] as const)('cdp.target switches back to the first page by its %s', async ([, fields]) => {
    const nodes = { open: open('/popup'), press, popup: target({ role: 'popup' }), back: target(fields), see: see('Payment') };
    const ran = await run(nodes);
    expect([ran.status, ran.error]).toEqual(['pass', '']);
    expect(outputOf(ran, 'back')).toMatchObject({ title: 'Payment', index: 0 });
  });

  test('cdp.target waits for a page that navigates to the URL', async () => {
    await pages.page.goto('/');
    await pages.page.evaluate("void setTimeout(() => (location = '/cart'), 400)");
    const ran = await run({ later: target({ url: '/cart' }), see: see('Cart') });
    expect([ran.status, ran.error]).toEqual(['pass', '']);
  });

  test('cdp.target lists the open pages when no page matches', async () => {
    const ran = await run({ open: open('/cart'), none: target({ url: '/checkout', timeout_ms: 2_000 }) });
    expect(ran.status).toBe('fail');
    expect(ran.error).toContain(`No page matches {"url":"/checkout"}. Open pages: ${app.origin}/cart ("Cart").`);
  });

  test('cdp.target fails when two pages match', async () => {
    await (await pages.page.context().newPage()).goto('/cart');
    const ran = await run({ open: open('/cart'), two: target({ title: 'Cart' }) });
    expect(ran.error).toMatch(/^cdp.ambiguous_target: 2 pages match .*only one page/);
  });

  test('ui.screenshot after cdp.target captures the chosen page', async () => {
    const shot = { action: 'ui.screenshot' };
    const ran = await run({ open: open('/popup'), press, popup: target({ role: 'popup' }), shot });
    expect(ran.error).toBe('');
    expect(outputOf(ran, 'shot')).toMatchObject({ url: `${app.origin}/cart` });
  });

  test.for([
    [{}, /needs "role", "url" or "title"/],
    [{ role: 'background' }, /"background" is not a role of a page. Use page, popup, extension/],
  ] as const)('cdp.target with %j is refused before the run', async ([fields, message]) => {
    await expect(run({ choose: target(fields) })).rejects.toThrow(message);
  });
});
