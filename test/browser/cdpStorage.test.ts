import { describe, expect, test } from 'vitest';
import { appPages, open, outputOf } from './appPages.js';

const pages = await appPages();
const { app, run } = pages;
const storage = (fields: object) => ({ action: 'cdp.storage', ...fields });

describe.for(['local', 'session'] as const)('cdp.storage in the area %s', (area) => {
  const name = `${area}Storage`;

  test(`cdp.storage reads a key of ${name} as a string and as parsed JSON`, async () => {
    await pages.page.goto('/');
    await pages.page.evaluate(`${name}.cart = '{"mug":2}'; ${name}.note = '{ broken'; ${name}.plain = '7'`);
    const nodes = {
      cart: storage({ area, key: 'cart', assert: { path: '$.json.mug', operator: 'eq', value: 2 } }),
      ...{
        note: storage({ area, key: 'note' }),
        plain: storage({ area, key: 'plain' }),
        none: storage({ area, key: 'nothing' }),
      },
    };
    const ran = await run(nodes);
    expect([ran.status, ran.error]).toEqual(['pass', '']);
    expect(outputOf(ran, 'cart')).toEqual({ area, key: 'cart', found: true, value: '{"mug":2}', json: { mug: 2 } });
    expect(outputOf(ran, 'note')).toEqual({ area, key: 'note', found: true, value: '{ broken' });
    expect(outputOf(ran, 'plain')).toEqual({ area, key: 'plain', found: true, value: '7' });
    expect(outputOf(ran, 'none')).toEqual({ area, key: 'nothing', found: false });
  });

  test(`cdp.storage sets, removes and clears items of ${name}`, async () => {
    const ran = await run({
      shop: open('/'),
      text: storage({ mode: 'set', area, key: 'a "b"\n', value: 'x</script>' }),
      json: storage({ mode: 'set', area, key: 'cart', value: { mug: 2 } }),
      all: storage({ area }),
      remove: storage({ mode: 'remove', area, key: 'cart' }),
      again: storage({ mode: 'remove', area, key: 'cart' }),
      clear: storage({ mode: 'clear', area }),
      rest: storage({ area }),
    });
    expect([ran.status, ran.error]).toEqual(['pass', '']);
    expect(outputOf(ran, 'all')).toEqual({ area, count: 2, entries: { 'a "b"\n': 'x</script>', cart: '{"mug":2}' } });
    expect([outputOf(ran, 'remove').removed, outputOf(ran, 'again').removed]).toEqual([true, false]);
    expect(outputOf(ran, 'clear')).toEqual({ area, cleared: 1 });
    expect(outputOf(ran, 'rest')).toEqual({ area, count: 0, entries: {} });
  });
});

describe('cdp.storage with cookies', () => {
  const area = 'cookies';

  test('cdp.storage shows the values of readable cookies, but not of httpOnly cookies', async () => {
    const ran = await run({
      sign: open('/signed'),
      all: storage({ area }),
      theme: storage({ area, key: 'theme' }),
      sid: storage({ area, key: 'sid' }),
      none: storage({ area, key: 'nothing' }),
    });
    expect(outputOf(ran, 'all')).toEqual({ area, count: 2, names: ['sid', 'theme'] });
    expect(outputOf(ran, 'theme')).toMatchObject({ found: true, value: 'dark', httpOnly: false, path: '/' });
    expect(outputOf(ran, 'sid')).toMatchObject({ found: true, httpOnly: true });
    expect(outputOf(ran, 'none')).toEqual({ area, key: 'nothing', found: false });
    expect(ran.journal.join('')).not.toContain('very-secret');
  });

  test('cdp.storage sets, removes and clears only the cookies of the origin', async () => {
    await pages.page.context().addCookies([{ name: 'elsewhere', value: '1', url: 'http://other.example/' }]);
    const ran = await run({
      sign: open('/signed'),
      set: storage({ mode: 'set', area, key: 'lang', value: 'de' }),
      far: storage({ mode: 'set', area, key: 'far', value: 'yes', origin: 'http://third.example' }),
      remove: storage({ mode: 'remove', area, key: 'theme' }),
      clear: storage({ mode: 'clear', area }),
    });
    expect([ran.status, ran.error]).toEqual(['pass', '']);
    expect(outputOf(ran, 'remove')).toEqual({ area, key: 'theme', removed: true });
    expect(outputOf(ran, 'clear')).toEqual({ area, cleared: 2 });
    const left = await pages.page.context().cookies();
    expect(left.map(({ name }) => name).sort()).toEqual(['elsewhere', 'far']);
  });
});

describe('cdp.storage', () => {
  test('cdp.storage reads the storage of a frame by its origin, and lists the origins when none matches', async () => {
    const there = await run({ frames: open('/frames'), get: storage({ origin: app.origin }) });
    expect(outputOf(there, 'get')).toMatchObject({ count: 0 });
    const none = await run({ frames: open('/frames'), get: storage({ origin: 'https://bank.example' }) });
    expect(none.error).toBe(
      `cdp.no_origin: The page has no frame with the origin https://bank.example, only with ${app.origin}. Open a page that has one first.`,
    );
  });

  test.for(['local', 'cookies'])('cdp.storage with the area %s explains what to do on a page without storage', async (area) => {
    const ran = await run({ get: storage({ area }) });
    expect(ran.error).toMatch(/^cdp.no_storage: about:blank .*Open a page of the app first/);
  });

  test('cdp.storage truncates long values and long lists', async () => {
    await pages.page.goto('/');
    await pages.page.evaluate("localStorage.big = 'x'.repeat(1e6); for (let i = 0; i < 500; i++) localStorage['k' + i] = 'y'");
    const ran = await run({ big: storage({ key: 'big' }), all: storage({}) });
    expect(outputOf(ran, 'big')).toMatchObject({ wasTruncated: true, value: 'x'.repeat(20_000) });
    expect(outputOf(ran, 'all').count).toBe(501);
    expect(Object.keys(outputOf(ran, 'all').entries as object)).toHaveLength(100);
  });

  test.for(['set', 'remove', 'clear'])('cdp.storage with the mode %s is refused in a proof', async (mode) => {
    const change = storage({ mode, key: 'a', value: 'b', proofTarget: 'AC1' });
    await expect(run({ shop: open('/'), change }, { targets: ['AC1'] })).rejects.toThrow(/workflow\.backdoor_in_proof/);
  });

  test.for([
    [{ mode: 'set', key: 'a' }, /needs "key" and "value"/],
    [{ mode: 'remove' }, /needs "key"/],
    [{ origin: 'http://a.example/path' }, /must be an origin/],
  ] as const)('cdp.storage with %j is refused before the run', async ([fields, message]) => {
    await expect(run({ get: storage(fields) })).rejects.toThrow(message);
  });
});
