import { describe, expect, test } from 'vitest';
import { runPagesOf } from '../../src/browser/runPages.js';
import { freshPage } from '../support/chromium.js';
import { uiPage } from '../support/uiPage.js';
import { uiRun } from '../support/uiRun.js';

const ui = await uiPage();
const { open, title } = ui;
const value = (): Promise<string> => ui.page.evaluate('document.querySelector("input,select,textarea").value') as Promise<string>;

describe('ui.set_input', () => {
  test.for([
    ['by its test id', '<input data-testid=a value=old>', { test_id: 'a', value: 'new' }],
    ['by its label', '<label>Your name <input value=old></label>', { label: 'Your name', value: 'new' }],
    ['by its role', '<input aria-label=Name value=old>', { role: 'textbox', name: 'Name', value: 'new' }],
    ['with text for value', '<textarea data-testid=a>old</textarea>', { test_id: 'a', text: 'new' }],
    ['with a number', '<input type=number data-testid=a>', { test_id: 'a', value: 12 }, '12'],
    [
      'of options, by their label',
      '<select data-testid=a><option value=x>Old<option value=new>New one</select>',
      { test_id: 'a', value: 'New one' },
    ],
  ] as const)('fills a field %s', async ([, html, fields, wanted = 'new']) => {
    const run = await uiRun(ui.page, { open: open(html), fill: { action: 'ui.set_input', ...fields } });
    expect([run.error, await value()]).toEqual(['', wanted]);
  });

  test('the page hears what is typed', async () => {
    const html = '<input data-testid=a oninput="document.title=this.value">';
    await uiRun(ui.page, { open: open(html), fill: { action: 'ui.set_input', test_id: 'a', value: 'heard' } });
    expect(await title()).toBe('heard');
  });

  test('says what is no field, and which of two is meant', async () => {
    const html = '<p data-testid=a>x</p><input name=b><input name=c>';
    const none = await uiRun(ui.page, { open: open(html), fill: { action: 'ui.set_input', test_id: 'a', value: 'x' } });
    expect(none.error).toMatch(/^ui.refused: .*not an <input>/s);
    const two = await uiRun(ui.page, { open: open(html), fill: { action: 'ui.set_input', selector: 'input', value: 'x' } });
    expect(two.error).toMatch(/^ui.ambiguous: input is ambiguous: 2/);
  });
});

describe('a secret', () => {
  const inputs = { pw: { type: 'secret-ref', ref: 'env:PW' } };
  const env = { PW: 'correct-horse-77' };
  const field = '<input data-testid=pw value=old oninput="document.title=this.value.length">';
  const fill = { action: 'ui.set_input', test_id: 'pw', value: '{{inputs.pw}}' };

  test('is typed off the record: no call, output or line holds it', async () => {
    const run = await uiRun(ui.page, { open: open(field), fill }, { inputs, env });
    expect([run.error, await value(), await title()]).toEqual(['', env.PW, String(env.PW.length)]);
    expect(run.calls.length).toBeGreaterThan(2);
    for (const text of [...run.calls, ...run.journal]) expect(text).not.toContain('horse');
  });

  test('is found by its length when the field cuts it, and the message does not tell it', async () => {
    const run = await uiRun(ui.page, { open: open(field.replace('input ', 'input maxlength=5 ')), fill }, { inputs, env });
    expect(run.error).toMatch(/^ui.input_mismatch: The field holds 5 characters after a secret of 16/);
    for (const text of [...run.calls, ...run.journal]) expect(text).not.toContain('corre');
  });

  test('that is only a part of the value is typed off the record too', async () => {
    const run = await uiRun(ui.page, { open: open(field), fill: { ...fill, value: 'user:{{inputs.pw}}' } }, { inputs, env });
    expect([run.error, await value()]).toEqual(['', `user:${env.PW}`]);
    for (const text of run.calls) expect(text).not.toContain('horse');
  });

  test('hides its field from pictures from then on', async () => {
    await uiRun(ui.page, { open: open(field), fill }, { inputs, env });
    const [first] = runPagesOf(ui.page).fieldsToMask();
    expect(await first?.getAttribute('data-testid')).toBe('pw');
  });
});

describe('ui.scroll', () => {
  const tall = '<div style="height:3000px;width:3000px">x</div><button data-testid=deep>deep</button>';
  const box = `<div data-testid=list style="width:200px;height:100px;overflow:auto"><div style="height:900px;width:900px">x</div><p data-testid=row>row</p></div>`;
  const scroll = (fields: object) => ({ action: 'ui.scroll', ...fields });
  const at = (): Promise<number[]> => ui.page.evaluate('[scrollX, scrollY]') as Promise<number[]>;

  test.for([
    ['600 down when it says no distance', {}, [0, 600]],
    ['by both distances', { delta_x: 50, delta_y: 70 }, [50, 70]],
    ['sideways only', { delta_x: 40 }, [40, 0]],
  ] as const)('scrolls the page %s', async ([, fields, wanted]) => {
    const run = await uiRun(ui.page, { open: open(tall), scroll: scroll(fields) });
    expect([run.error, await at()]).toEqual(['', wanted]);
    expect(run.ends.get('scroll')?.output).toMatchObject({ moved_x: wanted[0], moved_y: wanted[1] });
  });

  test('scrolls a container, and what scrolls around or inside what is named', async () => {
    for (const test_id of ['list', 'row', 'wrap']) {
      const run = await uiRun(ui.page, {
        open: open(`<div data-testid=wrap>${box}</div>`),
        scroll: scroll({ test_id, delta_y: 80 }),
      });
      expect.soft([test_id, run.error, run.ends.get('scroll')?.output]).toMatchObject([test_id, '', { y: 80, moved_y: 80 }]);
    }
  });

  test('scrolls an element into view, in the page and in a container', async () => {
    for (const [html, test_id] of [
      [tall, 'deep'],
      [`<div style="height:2000px"></div>${box}`, 'row'],
    ] as const) {
      const run = await uiRun(ui.page, { open: open(html), scroll: scroll({ test_id, scroll_into_view: true }) });
      expect.soft(run.error).toBe('');
      const isSeen = `(() => { const { top, bottom } = document.querySelector('[data-testid=${test_id}]').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight })()`;
      expect.soft(await ui.page.evaluate(isSeen)).toBe(true);
    }
  });

  test('refuses a container that does not scroll, and says what it is', async () => {
    const run = await uiRun(ui.page, { open: open('<p data-testid=a>short</p>'), scroll: scroll({ test_id: 'a', delta_y: 9 }) });
    expect(run.error).toMatch(/^ui.not_scrollable: test id "a" does not scroll/);
  });

  test('refuses an element that cannot come into view', async () => {
    const html = '<div style="position:fixed;top:-500px" data-testid=a>far</div>';
    const run = await uiRun(ui.page, { open: open(html), scroll: scroll({ test_id: 'a', into_view: true, timeout_ms: 1_500 }) });
    expect(run.status).toBe('fail');
    expect(run.error).toMatch(/ui.not_in_view|action.timed_out|ui.refused/);
  });
});

describe('ui.gesture', () => {
  const pad = `<div data-testid=pad style="width:300px;height:200px;background:#eee;touch-action:none">pad</div>
    <script>log = []; for (const name of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'])
    addEventListener(name, (e) => { log.push([name.slice(7), Math.round(e.clientX), Math.round(e.clientY), e.pointerType, Math.round(e.timeStamp)]); });</script>`;
  const log = async () =>
    (await ui.page.evaluate('log.filter(([n], i, a) => n !== "move" || a.slice(0, i).some(([n]) => n === "down"))')) as [
      string,
      number,
      number,
      string,
      number,
    ][];
  const gesture = (fields: object) => ({ action: 'ui.gesture', ...fields });

  test('a swipe is a finger that goes in its direction, and scrolls what it moves', async () => {
    const html = `<div data-testid=list style="width:300px;height:200px;overflow:auto"><div style="width:3000px;height:100px">x</div></div>`;
    const swipe = gesture({ kind: 'swipe', test_id: 'list', direction: 'left', distance: 120 });
    const run = await uiRun(ui.page, { open: open(html), swipe });
    expect(run.error).toBe('');
    await expect.poll(() => ui.page.evaluate('document.querySelector("[data-testid=list]").scrollLeft')).toBeGreaterThan(60);
  });

  test('a drag follows its path with the pointer held down', async () => {
    const path = [
      { x: 40, y: 0 },
      { x: 40, y: 30 },
    ];
    const run = await uiRun(ui.page, { open: open(pad), drag: gesture({ kind: 'drag', test_id: 'pad', path, duration_ms: 60 }) });
    const moves = await log();
    expect([run.error, moves[0]?.[0], moves.at(-1)?.[0], moves[0]?.[3]]).toEqual(['', 'down', 'up', 'mouse']);
    const [first, last] = [moves[0], moves.at(-1)];
    expect([(last?.[1] ?? 0) - (first?.[1] ?? 0), (last?.[2] ?? 0) - (first?.[2] ?? 0)]).toEqual([40, 30]);
    expect(moves.length).toBeGreaterThan(4);
  });

  test('a pan takes the time it is given, from a point of the view', async () => {
    const run = await uiRun(ui.page, {
      open: open(pad),
      pan: gesture({ kind: 'pan', x: 50, y: 60, delta: { x: 100, y: 0 }, duration_ms: 400 }),
    });
    const moves = await log();
    expect([run.error, moves[0]?.slice(0, 3), moves.at(-1)?.slice(0, 3)]).toEqual(['', ['down', 50, 60], ['up', 150, 60]]);
    expect((moves.at(-1)?.[4] ?? 0) - (moves[0]?.[4] ?? 0)).toBeGreaterThan(300);
  });

  test('a long press holds as long as it says', async () => {
    const run = await uiRun(ui.page, { open: open(pad), hold: gesture({ kind: 'long_press', text: 'pad', hold_ms: 500 }) });
    const moves = await log();
    expect([run.error, moves[0]?.[0], moves.at(-1)?.[0]]).toEqual(['', 'down', 'up']);
    expect((moves.at(-1)?.[4] ?? 0) - (moves[0]?.[4] ?? 0)).toBeGreaterThanOrEqual(490);
  });

  test('is made by a finger where the page is used by touch', async () => {
    const phone = await freshPage(ui.browser, { hasTouch: true });
    const run = await uiRun(phone, {
      open: open(pad),
      hold: gesture({ kind: 'drag', test_id: 'pad', direction: 'right', distance: 50 }),
    });
    const last = (await phone.evaluate('log.at(-1)')) as unknown[];
    expect([run.error, last[3], last[0]]).toEqual(['', 'touch', 'up']);
    await phone.context().close();
  });

  test('says which way is missing before anything runs', async () => {
    await expect(uiRun(ui.page, { open: open(pad), drag: gesture({ kind: 'drag', test_id: 'pad' }) })).rejects.toThrow(
      /where it goes/,
    );
  });
});
